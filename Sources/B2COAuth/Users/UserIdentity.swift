internal import B2CCore
internal import B2CIDToken
internal import Foundation

/// The id of the person a token answer is about: two people never share one.
enum UserIdentity {
  /// Returns `<object id>.<tenant id>` at Microsoft's authorities, `<issuer>#<subject>` elsewhere: the same for every policy.
  ///
  /// It is ASCII, so that Swift's `==`, which takes other normal forms of a letter for the same, compares bytes.
  static func userID(_ claims: [String: JSONValue], issuer: String, isMicrosoft: Bool) -> String {
    let named = IDTokenClaims.identifiers(in: claims)
    guard isMicrosoft else {
      // `sub` is unique within its issuer and case-sensitive (OpenID Connect Core section 2); no other claim says who it is.
      // An issuer has no fragment (Discovery section 3), so that the first `#` is where the subject begins.
      return ascii(issuer, escaping: "#") + "#" + ascii(named["sub"] ?? named["oid"] ?? "")
    }
    let object = named["oid"] ?? named["sub"] ?? ""
    return part(object) + "." + part(named["tid"] ?? tenant(in: issuer))
  }

  /// The GUID in the issuer's path, else its host: subjects are unique within an issuer only.
  private static func tenant(in issuer: String) -> String {
    guard let url = URL(string: issuer) else { return "unknown" }
    return url.pathComponents.first { UUID(uuidString: $0) != nil } ?? url.host ?? "unknown"
  }

  /// One of two parts with a dot between them: a GUID in lower case, anything else as it is, its dots escaped.
  private static func part(_ text: String) -> String { GUID.folded(text) ?? ascii(text, escaping: ".") }

  /// A text as visible ASCII, from which the original can be told: the rest is percent-encoded, and so is `%`.
  private static func ascii(_ text: String, escaping reserved: String = "") -> String {
    FormEncoding.escape(text) { (0x21...0x7E).contains($0) && !("%" + reserved).utf8.contains($0) }
  }
}
