package import B2CCore
package import Foundation

/// The claims of a verified id_token, as far as the rules look at them.
///
/// There is no way to make one but to verify a token. Printing or dumping it shows the names of the claims, not their
/// values: they are personal, and some policies put tokens of other providers among them.
package struct IDTokenClaims: Sendable, Hashable {
  /// Who issued the token (`iss`).
  package let issuer: String
  /// The user, unique and never reassigned within the issuer.
  ///
  /// This is `sub`, except in tenants that send the text `Not supported currently. Use oid claim.` there: then it is `oid`.
  package let subject: String
  /// The clients the token is for (`aud`).
  package let audience: [String]
  /// When the token expires (`exp`).
  package let expiration: Date
  /// When the token was issued (`iat`).
  package let issuedAt: Date
  /// When the token begins (`nbf`).
  package let notBefore: Date?
  /// Every claim by its name, as it came.
  package let all: [String: JSONValue]

  /// The text that Azure AD B2C writes into `sub` where it is not configured.
  package static let subjectPlaceholder = "Not supported currently. Use oid claim."

  /// Returns the claims that say who the user is and at which issuer, without values that do not tell users apart.
  ///
  /// A custom policy without a value may send an empty text, white space, a GUID of zeros or a number for every user, and two
  /// users would become one. A subject may be `0`, because some providers number their users.
  package static func identifiers(in claims: [String: JSONValue]) -> [String: String] {
    let named = ["iss", "sub", "oid", "tid"].compactMap { name in claims[name]?.string.map { (name, $0) } }
    let telling = named.filter { name, text in
      guard name != "sub" || text != subjectPlaceholder else { return false }
      let scalars = text.unicodeScalars
      let isDigit = { PrintableText.isVisible($0) && !"-{}()".unicodeScalars.contains($0) }
      if scalars.contains(where: { $0 != "0" && isDigit($0) }) { return true }
      return name == "sub" && scalars.contains(where: PrintableText.isVisible) && scalars.count(where: isDigit) != 32
    }
    return Dictionary(uniqueKeysWithValues: telling)
  }

  /// Reads the claims that every id_token has to have (OpenID Connect Core section 2).
  init(reading fields: [String: JSONValue]) throws(ConnectorError) {
    all = fields
    guard let issuer = fields["iss"]?.string else {
      throw ConnectorError(idToken: "it has no iss", recoverySuggestion: Advice.issuer)
    }
    self.issuer = issuer
    subject = try Self.subject(fields)
    guard let clients = Self.audience(in: fields), !clients.isEmpty else {
      let fault = fields["aud"]?.array?.isEmpty == false ? "its aud is not a list of strings" : "it has no aud"
      throw ConnectorError(idToken: fault, recoverySuggestion: Advice.client)
    }
    audience = clients
    expiration = try Self.time("exp", fields)
    issuedAt = try Self.time("iat", fields)
    notBefore = try fields["nbf"] == nil ? nil : Self.time("nbf", fields)
  }

  private static func time(_ name: String, _ fields: [String: JSONValue]) throws(ConnectorError) -> Date {
    guard let time = fields[name].flatMap(NumericDate.date) else {
      throw ConnectorError(idToken: "its \(name) is missing or no time")
    }
    return time
  }

  /// `sub`, or `oid` where `sub` says so.
  static func subject(_ fields: [String: JSONValue]) throws(ConnectorError) -> String {
    let named = identifiers(in: fields)
    if let subject = named["sub"] { return subject }
    guard fields["sub"]?.string == subjectPlaceholder else {
      throw ConnectorError(
        idToken: "it has no sub", recoverySuggestion: "Have the provider add the claim sub to the id_token.")
    }
    guard let objectID = named["oid"] else {
      throw ConnectorError(
        idToken: "its sub points to oid, which it has not",
        recoverySuggestion: "Add the claim User's Object ID to the user flow.")
    }
    return objectID
  }

  /// Returns the clients that a token is for; `nil` unless `aud` is a text or a list of texts (RFC 7519 section 4.1.3).
  package static func audience(in claims: [String: JSONValue]) -> [String]? {
    if let client = claims["aud"]?.string { return [client] }
    guard let elements = claims["aud"]?.array else { return nil }
    let clients = elements.compactMap(\.string)
    return clients.count == elements.count ? clients : nil
  }

  /// Returns the policy that a token of Azure AD B2C names: `tfp`, or in old policies `acr`.
  package static func policy(in claims: [String: JSONValue]) -> JSONValue? { claims["tfp"] ?? claims["acr"] }
}

extension IDTokenClaims: Redacted {
  /// The names of the claims, without their values.
  package var description: String { "IDTokenClaims(\(all.keys.sorted().joined(separator: ", ")))" }
}

/// A time in seconds since 1970 (RFC 7519 section 2), as a number or, as Azure AD B2C also writes it, as a text.
package enum NumericDate {
  /// The last second of the year 9999; what lies beyond is no time a server means.
  private static let latest = 253_402_300_799.0

  package static func date(_ value: JSONValue) -> Date? {
    // `Double` also reads text like "nan", "0x10" and "1e3".
    if let text = value.string, text.utf8.count > 20 || !text.utf8.allSatisfy("0123456789.".utf8.contains) {
      return nil
    }
    guard let seconds = value.double, (0...latest).contains(seconds) else { return nil }
    return Date(timeIntervalSince1970: seconds)
  }
}
