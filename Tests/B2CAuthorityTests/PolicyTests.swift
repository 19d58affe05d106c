import B2CAuthority
import Testing

@Suite struct PolicyTests {
  @Test("The key is the id ignoring case; equality sees everything")
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

  // Microsoft's guides name a sign-in policy B2C_1_susi_reset_v2; a guess by words takes it for a password reset.
  @Test(
    "A policy's name decides nothing",
    arguments: [
      "B2C_1_susi_reset_v2", "B2C_1_todo_email_signup", "B2C_1_profile_signin", "B2C_1A_PasswordReset",
      "B2C_1_facebook", "demo",
    ])
  func kindByDefault(id: String) throws {
    #expect(try Policy(id).kind == .signUpOrSignIn)
    #expect(try Policy(id: id, name: "Sign in").kind == .signUpOrSignIn)
  }

  @Test("The caller's kind is kept, also one that is not known")
  func givenKind() throws {
    #expect(try Policy(id: "B2C_1_signin", kind: .passwordReset).kind == .passwordReset)
    #expect(try Policy(id: "B2C_1_signin", kind: Policy.Kind(rawValue: "mine")).kind.rawValue == "mine")
  }

  @Test(
    "A policy without the prefix of Azure AD B2C causes a warning, there only",
    arguments: [
      ("B2C_1_x", true), ("b2c_1_x", true), ("B2C_1A_x", true), ("b2c_1a_X", true), ("signin", false),
      ("B2C_signin", false),
    ])
  func prefixes(id: String, hasPrefix: Bool) throws {
    let authority = try Authority("https://contoso.b2clogin.com/contoso.onmicrosoft.com")
    #expect(try authority.warnings(for: [Policy(id)]).isEmpty == hasPrefix)
    #expect(try Authority("https://contoso.ciamlogin.com").warnings(for: [Policy(id)]).isEmpty)
  }

  @Test("The warning suggests the id with its prefix")
  func prefixSuggestion() throws {
    let authority = try Authority("https://contoso.b2clogin.com/contoso.onmicrosoft.com")
    let warning = try #require(try authority.warnings(for: [Policy("B2C_1_x"), Policy("SignIn")]).first)
    #expect(warning.value == "SignIn")
    #expect(warning.fault == .unusualPolicyPrefix)
    #expect(warning.suggestion == "B2C_1_SignIn")
  }

  @Test(
    "Invalid ids are refused, with a correction where it is known",
    arguments: [
      ("", AuthorityError.Fault.invalidPolicy, nil),
      ("   ", .invalidPolicy, nil),
      (" B2C_1_x ", .invalidPolicy, "B2C_1_x"),
      ("B2C_1_x\n", .invalidPolicy, "B2C_1_x"),
      ("B2C_1_\u{200B}x", .invalidPolicy, "B2C_1_x"),
      ("B2C_1_\u{202E}x", .invalidPolicy, "B2C_1_x"),
      ("?p=B2C_1_x", .invalidPolicy, "B2C_1_x"),
      ("p=B2C_1_x&nonce=1", .invalidPolicy, "B2C_1_x"),
      ("?p=B2C_1_%3ex", .invalidPolicy, nil),
      ("https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x/v2.0", .invalidPolicy, "B2C_1_x"),
      (
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=B2C_1_x", .invalidPolicy,
        "B2C_1_x"
      ),
      ("a/b", .invalidPolicy, nil),
      ("a%20b", .invalidPolicy, nil),
      ("a#b", .invalidPolicy, nil),
      ("a&b", .invalidPolicy, nil),
      ("..", .invalidPolicy, nil),
      (String(repeating: "x", count: 129), .invalidPolicy, nil),
      ("<Enter the sign in policy>", .placeholder, nil),
      ("{policy}", .placeholder, nil),
    ])
  func refusals(id: String, fault: AuthorityError.Fault, suggestion: String?) throws {
    let error = try #require(throws: AuthorityError.self) { try Policy(id) }
    #expect(error.fault == fault)
    #expect(error.code == .configuration)
    #expect(error.suggestion == suggestion)
    #expect(error.recoverySuggestion != nil)
  }

  @Test("Characters that only need escaping are allowed")
  func escapedCharacters() throws {
    #expect(try Policy("B2C_1_a+b;c'é").id == "B2C_1_a+b;c'é")
  }
}
