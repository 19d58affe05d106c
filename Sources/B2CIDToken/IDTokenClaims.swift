package import B2CCore
package import Foundation

/// The rules for reading claims that the id_token check, a refresh and the user's identity share.
package enum IDTokenClaims {
  /// The text that Azure AD B2C writes into `sub` if the policy does not set it.
  package static let subjectPlaceholder = "Not supported currently. Use oid claim."

  /// Whether `sub` contains the placeholder instead of a user.
  package static func hasPlaceholder(_ claims: [String: JSONValue]) -> Bool {
    claims["sub"]?.string == subjectPlaceholder
  }

  /// Returns the claims that identify the user and the issuer, without values that do not distinguish users.
  ///
  /// A custom policy without a value may send an empty text, white space, a GUID of zeros or a number for every user,
  /// so that two users would become one. A subject may be `0`, because some providers number their users.
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

  /// Returns the clients in `aud`, or `nil` unless it is a text or a list of texts (RFC 7519 section 4.1.3).
  package static func audience(in claims: [String: JSONValue]) -> [String]? {
    if let client = claims["aud"]?.string { return [client] }
    guard let elements = claims["aud"]?.array else { return nil }
    let clients = elements.compactMap(\.string)
    return clients.count == elements.count ? clients : nil
  }

  /// Returns the policy that a token of Azure AD B2C names in `tfp`, or in old policies in `acr`.
  package static func policy(in claims: [String: JSONValue]) -> JSONValue? { claims["tfp"] ?? claims["acr"] }
}

/// A time in seconds since 1970 (RFC 7519 section 2), as a number or as text, which Azure AD B2C also sends.
package enum NumericDate {
  /// The last second of the year 9999, because no server means a later time.
  private static let latest = 253_402_300_799.0

  package static func date(_ value: JSONValue) -> Date? {
    // `Double` also accepts "nan", "0x10" and "1e3", which are no times.
    if let text = value.string, text.utf8.count > 20 || !text.utf8.allSatisfy("0123456789.".utf8.contains) {
      return nil
    }
    guard let seconds = value.double, (0...latest).contains(seconds) else { return nil }
    return Date(timeIntervalSince1970: seconds)
  }
}
