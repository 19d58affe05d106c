import B2CAuthority
import Testing

@Suite struct PolicyTests {
  @Test("The key of a policy ignores the case of its id, and equality compares everything")
  func equality() throws {
    let policy = try Policy(id: "B2C_1_SignIn", name: "Sign in", kind: .signIn, domainHint: "facebook.com")
    #expect(policy.key == "b2c_1_signin")
    #expect(try policy == Policy(id: policy.id, name: policy.name, kind: policy.kind, domainHint: policy.domainHint))
    let others = [
      try Policy(id: "b2c_1_signin", name: policy.name, kind: policy.kind, domainHint: policy.domainHint),
      try Policy(id: policy.id, name: "In", kind: policy.kind, domainHint: policy.domainHint),
      try Policy(id: policy.id, name: policy.name, kind: .signUp, domainHint: policy.domainHint),
      try Policy(id: policy.id, name: policy.name, kind: policy.kind),
    ]
    for other in others { #expect(other != policy && other.key == policy.key) }
    #expect(Set(others + [policy]).count == 5)
  }

  @Test("The developer's case is kept")
  func caseIsKept() throws {
    let policy = try Policy("b2C_1a_Sign_In")
    #expect(policy.id == "b2C_1a_Sign_In")
    #expect(policy.name == "b2C_1a_Sign_In")
    #expect(policy.domainHint == nil)
    #expect(try Policy(id: "B2C_1_x", name: "").name == "B2C_1_x")
    #expect(try Policy(id: "B2C_1_x", name: "Mail").name == "Mail")
  }

  // Microsoft's guides name a sign-in policy B2C_1_susi_reset_v2, and a guess by words would take it for a password reset.
  @Test(
    "A policy's name says nothing about its kind",
    arguments: [
      "B2C_1_susi_reset_v2", "B2C_1_todo_email_signup", "B2C_1_profile_signin", "B2C_1A_PasswordReset",
      "B2C_1_facebook", "demo",
    ])
  func kindByDefault(id: String) throws {
    #expect(try Policy(id).kind == nil)
    #expect(try Policy(id: id, name: "Sign in").kind == nil)
  }

  @Test("The caller's kind is kept")
  func explicitKind() throws {
    #expect(try Policy(id: "B2C_1_signin", kind: .passwordReset).kind == .passwordReset)
  }

  @Test("A kind that was given differs from one that was not, since only the latter is completed by the settings")
  func kindNotGiven() throws {
    #expect(try Policy("B2C_1_x") == Policy(id: "B2C_1_x", kind: nil))
    #expect(try Policy("B2C_1_x") != Policy(id: "B2C_1_x", kind: .signUpOrSignIn))
    #expect(try Policy("B2C_1_x").kind == nil && Policy(id: "B2C_1_x", kind: .signIn).kind == .signIn)
  }

  @Test(
    "Invalid ids are refused",
    arguments: [
      "", "   ", " B2C_1_x ", "B2C_1_x\n", "B2C_1_\u{200B}x", "B2C_1_\u{200D}x", "B2C_1_x\u{FE0F}", "B2C_1_\u{202E}x",
      "?p=B2C_1_x", "p=B2C_1_x&nonce=1",
      "?p=B2C_1_%3ex", "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x/v2.0",
      "https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=B2C_1_x", "a/b", "a%20b", "a#b",
      "a&b", "..", String(repeating: "x", count: 129), "<Enter the sign in policy>", "{policy}",
    ])
  func refusals(id: String) throws {
    let error = try #require(throws: ConnectorError.self) { try Policy(id) }
    #expect(error.code == .configuration)
    #expect(error.recoverySuggestion != nil)
  }

  @Test("Characters that only need escaping are allowed")
  func escapedCharacters() throws {
    #expect(try Policy("B2C_1_a+b;c'é").id == "B2C_1_a+b;c'é")
  }
}
