internal import B2CCore
internal import B2CIDToken
internal import Foundation

/// The ids of the person a token answer is about: two people never share one.
struct AccountIdentity: Sendable {
  /// `<object id>.<tenant id>` at Microsoft's authorities, `<issuer>#<subject>` elsewhere: the same for every policy.
  ///
  /// It is ASCII, so that Swift's `==`, which takes other normal forms of a letter for the same, compares bytes.
  let accountID: String
  /// MSAL's form, with the policy after the object id; the account id at other providers.
  let homeAccountID: String

  init(claims: [String: JSONValue], clientInfo: ClientInfo?, policy: Policy?, issuer: String, isMicrosoft: Bool) {
    guard isMicrosoft else {
      // `sub` is unique within its issuer and case-sensitive (OpenID Connect Core section 2); no other claim says who it is.
      // An issuer has no fragment (Discovery section 3), so that the first `#` is where the subject begins.
      accountID = Self.ascii(issuer, escaping: "#") + "#" + Self.ascii(claims["sub"]?.string ?? "")
      homeAccountID = accountID
      return
    }
    let subject = claims["sub"]?.string.flatMap { $0 == IDTokenClaims.subjectPlaceholder ? nil : $0 }
    let object = Self.part(claims["oid"]?.string ?? subject ?? "")
    let tenant = Self.part(claims["tid"]?.string ?? clientInfo?.utid ?? Self.tenant(in: issuer))
    accountID = object + "." + tenant
    homeAccountID =
      clientInfo.map { $0.uid + "." + $0.utid }
      ?? object + (policy.map { "-" + $0.key } ?? "") + "." + tenant
  }

  /// Returns the account id that a caller means, at Microsoft's authorities also by MSAL's home account id of any policy.
  static func accountID(_ text: String, isMicrosoft: Bool) -> String {
    guard isMicrosoft, let dot = text.lastIndex(of: "."), let tenant = GUID.folded(text[text.index(after: dot)...])
    else { return text }
    let person = text[..<dot]
    if let object = GUID.folded(person) { return object + "." + tenant }
    // `<oid>-b2c_1_<name>`: a GUID has 36 characters.
    let object = person.prefix(36)
    guard person.dropFirst(36).lowercased().hasPrefix("-b2c_1"), let folded = GUID.folded(object) else { return text }
    return folded + "." + tenant
  }

  /// The GUID in the issuer's path, else its host: subjects are unique within an issuer only.
  private static func tenant(in issuer: String) -> String {
    guard let url = URL(string: issuer) else { return "unknown" }
    return url.pathComponents.first { UUID(uuidString: $0) != nil } ?? url.host ?? "unknown"
  }

  /// One of two parts with a dot between them: a GUID in lower case, anything else as it is, its dots escaped.
  private static func part(_ text: String) -> String { GUID.folded(text) ?? ascii(text, escaping: ".") }

  /// A text as visible ASCII, from which the original can be told: the rest is percent-encoded, and so is `%`.
  private static func ascii(_ text: String, escaping reserved: Character? = nil) -> String {
    var output = ""
    for byte in text.utf8 {
      let character = Character(Unicode.Scalar(byte))
      if (0x21...0x7E).contains(byte), character != "%", character != reserved {
        output.append(character)
      } else {
        output += "%" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return output
  }
}
