internal import B2CCore
internal import B2CIDToken
internal import Foundation

/// The id of the user that a token response is about, which no other user has.
enum UserIdentity {
  /// Returns `<object id>.<tenant id>` at Microsoft's authorities and `<issuer>#<subject>` elsewhere.
  ///
  /// The id is the same for every policy. It is ASCII, because Swift's `==` treats different Unicode spellings of a
  /// letter as equal.
  static func userID(_ claims: [String: JSONValue], issuer: String, isMicrosoft: Bool) -> String {
    let named = IDTokenClaims.identifiers(in: claims)
    guard isMicrosoft else {
      // `sub` is unique within its issuer and case-sensitive (OpenID Connect Core section 2), and nothing else
      // identifies the user. An issuer has no fragment (Discovery section 3), so the first `#` ends it.
      return ascii(issuer, escaping: "#") + "#" + ascii(named["sub"] ?? named["oid"] ?? "")
    }
    let object = named["oid"] ?? named["sub"] ?? ""
    return part(object) + "." + part(named["tid"] ?? tenant(in: issuer))
  }

  /// Returns the GUID in the issuer's path, or else its host, because a subject is unique only within its issuer.
  private static func tenant(in issuer: String) -> String {
    guard let url = URL(string: issuer) else { return "unknown" }
    return url.pathComponents.first { UUID(uuidString: $0) != nil } ?? url.host ?? "unknown"
  }

  /// Returns one of the two parts that a dot separates: a GUID in lower case, or any other text with its dots escaped.
  private static func part(_ text: String) -> String { GUID.folded(text) ?? ascii(text, escaping: ".") }

  /// Returns a text as visible ASCII, with everything else and `%` itself percent-encoded, so that different texts
  /// remain different.
  private static func ascii(_ text: String, escaping reserved: String = "") -> String {
    FormEncoding.escape(text) { (0x21...0x7E).contains($0) && !("%" + reserved).utf8.contains($0) }
  }
}
