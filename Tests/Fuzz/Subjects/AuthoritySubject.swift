import B2CAuthority
import B2CCore
import Foundation
import TestSupport

extension FuzzSubject {
  /// `Authority(_:kind:)`, its description, and the correction that an error offers.
  static let authority = FuzzSubject(name: "authority", makeInput: makeAuthority, judge: judgeAuthority)

  private static let authorities = [
    "https://login.microsoftonline.com/contoso.onmicrosoft.com/",
    "https://login.microsoftonline.com/tfp/contoso.onmicrosoft.com/B2C_1_x",
    "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x",
    "https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=B2C_1_x",
    "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_x/v2.0/.well-known/openid-configuration",
    "https://contoso.b2clogin.com/7bf688ce-8139-4ca8-9391-02fdb6f86d67/b2c_1a_y",
    "https://login.contoso.com/contoso.onmicrosoft.com?p=B2C_1_x",
    "https://contoso.b2clogin.cn/contoso.partner.onmschina.cn/B2C_1_x",
    "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/v2.0", "https://login.microsoftonline.com/common",
    "https://login.microsoftonline.us/contoso.onmicrosoft.us", "https://issuer.example:8443/realms/one",
    "http://localhost:3000/contoso.onmicrosoft.com/B2C_1_x", "http://[::1]:1234/t/", "http://127.0.0.1/t",
  ].map { Array($0.utf8) }

  private static let authorityTokens = [
    "/", "//", ":", "@", "#", "?", "?p=", "&", "=", "%", "%2f", "%2e%2e", "%zz", "..", ".", "\\", " ", "\n", "\u{0}",
    "\u{202E}",
    "\u{200B}", "\u{FF0E}", "\u{43E}", "xn--", "xn--80ak6aa92e", "https://", "http://", "javascript:", "[", "]", "::1",
    ":0",
    ":443", ":99999", "v2.0", "oauth2/v2.0/authorize", ".well-known/openid-configuration", "tfp/", "te/", "B2C_1_",
    "b2c_1a_",
    "common", "onmicrosoft.com", "b2clogin.com", "ciamlogin.com", "rnicrosoft", "<tenant>", "{tenant}", "+", ";", "'",
  ]

  @Sendable private static func makeAuthority(_ random: inout SplitMix64) -> [UInt8] {
    if random.once(in: 8) {
      return (0..<random.below(30)).flatMap { _ in Array(random.pick(authorityTokens).utf8) }
    }
    return Mutation.mutate(random.pick(authorities), corpus: authorities, tokens: authorityTokens, &random)
  }

  @Sendable private static func judgeAuthority(_ input: [UInt8]) -> Verdict {
    let text = String(decoding: input, as: UTF8.self)
    let kinds: [Authority.Kind?] = [nil, nil, .b2c, .ciam, .entra, .openIDConnect]
    let kind = kinds[input.reduce(0) { $0 &+ Int($1) } % kinds.count]
    do throws(AuthorityError) {
      let authority = try Authority(text, kind: kind)
      guard Loopback.isAllowed(authority.baseURL) else { return .broken("neither https nor this machine") }
      guard authority.baseURL.user == nil, authority.baseURL.fragment == nil else {
        return .broken("user-info or fragment")
      }
      let again = try Authority(authority.description, kind: kind)
      return again == authority ? .accepted : .broken("the description reads as another authority")
    } catch {
      guard !error.message.isEmpty else { return .broken("an error without a message") }
      guard let suggestion = error.suggestion else { return .refused }
      return (try? Authority(suggestion, kind: kind)) == nil ? .broken("the suggestion is refused too") : .refused
    }
  }
}
