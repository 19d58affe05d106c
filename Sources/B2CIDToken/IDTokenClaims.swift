package import B2CCore
package import Foundation

/// What the claims of an id_token say, by the rules that its check, a refresh and the user's identity share.
package enum IDTokenClaims {
  /// The text that Azure AD B2C writes into `sub` where it is not configured.
  package static let subjectPlaceholder = "Not supported currently. Use oid claim."

  /// Whether the claims name no user but have the placeholder instead.
  package static func hasPlaceholder(_ claims: [String: JSONValue]) -> Bool {
    claims["sub"]?.string == subjectPlaceholder
  }

  /// Returns the claims that say who the user is and at which issuer, without values that do not tell users apart.
  ///
  /// A custom policy without a value may send an empty text, white space, a GUID of zeros or a number for every user, and two
  /// users would become one. A subject may be `0`, because some providers number their users.
  package static func identifiers(in claims: [String: JSONValue]) -> [String: String] {
    let named = ["iss", "sub", "oid", "tid"].compactMap { name in claims[name]?.string.map { (name, $0) } }
    let telling = named.filter { name, text in
      guard name != "sub" || !hasPlaceholder(claims) else { return false }
      let scalars = text.unicodeScalars
      let isDigit = { PrintableText.isVisible($0) && !"-{}()".unicodeScalars.contains($0) }
      if scalars.contains(where: { $0 != "0" && isDigit($0) }) { return true }
      return name == "sub" && scalars.contains(where: PrintableText.isVisible) && scalars.count(where: isDigit) != 32
    }
    return Dictionary(uniqueKeysWithValues: telling)
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
