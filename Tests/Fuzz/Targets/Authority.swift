import B2CAuthority
import Foundation

extension FuzzTarget {
  /// Authorities and policies as a developer writes or pastes them; the first byte selects which.
  static let authority = FuzzTarget(
    name: "authority",
    parse: { _ = try? Authority(String(decoding: $0.dropFirst(), as: UTF8.self), kind: kind($0)) },
    check: checkAuthority)

  private static let password = "canaryPassw0rd"

  private static func kind(_ input: [UInt8]) -> Authority.Kind? {
    let kinds: [Authority.Kind?] = [nil, .b2c, .ciam, .entra, .openIDConnect]
    return kinds[Int(input.first ?? 0) % kinds.count]
  }

  @Sendable private static func checkAuthority(_ input: [UInt8]) throws {
    let text = String(decoding: input.dropFirst(), as: UTF8.self)
    if (input.first ?? 0) % 8 == 7 { return try checkPolicy(text) }
    let kind = kind(input)
    let authority: Authority
    do throws(AuthorityFault) {
      authority = try Authority(parsing: text, kind: kind)
    } catch {
      return try check(error, of: text) { (try? Authority($0, kind: kind)) != nil }
    }
    try check(authority, kind)
  }

  private static func check(_ authority: Authority, _ kind: Authority.Kind?) throws {
    var broken: String?
    if !Loopback.isAllowed(authority.baseURL) { broken = "neither https nor this machine" }
    if authority.baseURL.user != nil || authority.baseURL.fragment != nil { broken = "user-info or fragment" }
    let again = try? Authority(authority.description, kind: kind)
    if again != authority { broken = "\(authority) reads as \(String(describing: again))" }
    for policy in [nil, authority.policy, try? Policy("B2C_1_x")] {
      guard let endpoints = try? Endpoints(authority: authority, policy: policy) else { continue }
      let urls = [
        endpoints.metadata, endpoints.authorization, endpoints.token, endpoints.endSession,
        endpoints.deviceAuthorization,
      ].compactMap(\.self)
      // Foundation reads each URL, so it is not our reading of the host that is compared with itself.
      let host = authority.host.lowercased()
      for url in urls where ![host, "[\(host)]"].contains(url.host?.lowercased()) || !Loopback.isAllowed(url) {
        broken = "\(authority) leads to \(url)"
      }
    }
    try expect(broken == nil, broken ?? "")
  }

  private static func check(_ error: AuthorityFault, of text: String, reads: (String) -> Bool) throws {
    try expect(!error.message.isEmpty, "an error without a message")
    try expect(error.suggestion.map(reads) ?? true, "the suggestion is refused too: \(error.suggestion ?? "")")
    try expect(
      "\(error)".unicodeScalars.allSatisfy { $0.value >= 0x20 }, "a control character is shown")
    let place = text.prefix { $0 != "?" && $0 != "#" }
    // A password in front of an @ is never shown.
    if let at = place.lastIndex(of: "@"), place[..<at].contains(password),
      text.components(separatedBy: password).count == 2
    {
      try expect(!"\(error) \(error.error)".contains(password), "a password is shown: \(error)")
    }
  }

  private static func checkPolicy(_ text: String) throws {
    guard let policy = try? Policy(text) else { return }
    try expect(ASCIIText.isSame(policy.id, text), "the id differs from the text")
    let key = FormEncoding.percentDecode(policy.key)
    try expect(ASCIIText.isSame(key, ASCIIText.lowercased(text)), "the key is not the id in small letters")
  }
}
