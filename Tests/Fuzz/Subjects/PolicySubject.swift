import B2CAuthority
import TestSupport

extension FuzzSubject {
  /// `Policy(_:)`, and the correction that an error offers.
  static let policy = FuzzSubject(name: "policy", makeInput: makePolicy, judge: judgePolicy)

  private static let policies = [
    "B2C_1_SignIn", "b2c_1_sign_up", "B2C_1A_signup_signin", "SignIn", "?p=B2C_1_x",
    "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x/oauth2/v2.0/authorize", "<Enter your policy>",
  ].map { Array($0.utf8) }

  private static let policyTokens = [
    "B2C_1_", "b2c_1a_", "/", "?p=", "&", "%", " ", "\u{0}", "\u{202E}", "\u{130}", "\u{301}", "<", ">", "{", "..",
    "reset", "susi",
  ]

  @Sendable private static func makePolicy(_ random: inout SplitMix64) -> [UInt8] {
    Mutation.mutate(random.pick(policies), corpus: policies, tokens: policyTokens, &random)
  }

  @Sendable private static func judgePolicy(_ input: [UInt8]) -> Verdict {
    let text = String(decoding: input, as: UTF8.self)
    do throws(AuthorityError) {
      let policy = try Policy(text)
      guard policy.id == text, policy.key == text.lowercased() else { return .broken("the id differs from the text") }
      return .accepted
    } catch {
      guard let suggestion = error.suggestion else { return .refused }
      return (try? Policy(suggestion)) == nil ? .broken("the suggestion is refused too") : .refused
    }
  }
}
