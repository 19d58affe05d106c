import B2CAuthority
import Testing

@Suite struct PolicyTests {
  @Test func equalityAndHashIgnoreCaseAndEverythingButTheID() throws {
    let portal = try Policy(id: "B2C_1_SignIn", name: "Sign in", kind: .signIn, domainHint: "facebook.com")
    let claim = try Policy("b2c_1_signin")
    #expect(portal == claim)
    #expect(Set([portal, claim]).count == 1)
    #expect(portal.key == "b2c_1_signin")
    #expect(try portal != Policy("B2C_1_SignUp"))
  }

  @Test func theDevelopersCaseIsKept() throws {
    let policy = try Policy("b2C_1a_Sign_In")
    #expect(policy.id == "b2C_1a_Sign_In")
    #expect(policy.name == "b2C_1a_Sign_In")
    #expect(policy.description == "b2C_1a_Sign_In")
    #expect(policy.domainHint == nil)
    #expect(try Policy(id: "B2C_1_x", name: "").name == "B2C_1_x")
    #expect(try Policy(id: "B2C_1_x", name: "Mail").name == "Mail")
  }

  // The first three are the tutorial's own policies.
  @Test(arguments: [
    ("B2C_1_todo_email_signup", Policy.Kind.signUp),
    ("B2C_1_todo_facebook_signin", .federatedSignIn),
    ("B2C_1_todo_email_signin", .signIn),
    ("B2C_1_SignUpOrSignIn", .signUpOrSignIn),
    ("B2C_1A_signup_signin", .signUpOrSignIn),
    ("b2c_1_susi", .signUpOrSignIn),
    ("B2C_1_SignUp", .signUp),
    ("B2C_1_Register", .signUp),
    ("B2C_1_Login", .signIn),
    ("b2c_1_sign_in", .signIn),
    ("B2C_1_login_poc", .signIn),
    ("B2C_1A_ProfileEdit", .profileEdit),
    ("b2c_1_edit_profile", .profileEdit),
    ("B2C_1_profileediting1", .profileEdit),
    ("B2C_1A_PasswordReset", .passwordReset),
    ("B2C_1_Reset_Password", .passwordReset),
    ("b2c_1_passwordreset1", .passwordReset),
    ("B2C_1_Auth-PasswordReset", .passwordReset),
    ("B2C_1A_ForgotPassword", .passwordReset),
    ("B2C_1_credit_signin", .signIn),
    ("B2C_1_x", .signUpOrSignIn),
    ("demo", .signUpOrSignIn),
  ])
  func kindGuessedFromTheWords(id: String, kind: Policy.Kind) throws {
    #expect(try Policy(id).kind == kind)
  }

  @Test func aGivenKindGoesBeforeTheGuess() throws {
    #expect(try Policy(id: "B2C_1_signin", kind: .passwordReset).kind == .passwordReset)
    #expect(try Policy(id: "B2C_1_signin", kind: Policy.Kind(rawValue: "mine")).kind.rawValue == "mine")
  }

  @Test(arguments: [
    ("B2C_1_x", true, false), ("b2c_1_x", true, false), ("B2C_1A_x", false, true), ("b2c_1a_X", false, true),
    ("signin", false, false), ("B2C_signin", false, false),
  ])
  func prefixes(id: String, isUserFlow: Bool, isCustom: Bool) throws {
    let policy = try Policy(id)
    #expect(policy.isUserFlow == isUserFlow)
    #expect(policy.isCustomPolicy == isCustom)
    #expect((policy.prefixWarning == nil) == (isUserFlow || isCustom))
  }

  @Test func theWarningNamesTheIDThatWasProbablyMeant() throws {
    let warning = try #require(try Policy("SignIn").prefixWarning)
    #expect(warning.code == .unusualPolicyPrefix)
    #expect(warning.suggestion == "B2C_1_SignIn")
  }

  @Test(arguments: [
    ("", AuthorityError.Code.invalidPolicy, nil),
    ("   ", .invalidPolicy, nil),
    (" B2C_1_x ", .invalidPolicy, "B2C_1_x"),
    ("B2C_1_x\n", .invalidPolicy, "B2C_1_x"),
    ("B2C_1_\u{200B}x", .invalidPolicy, "B2C_1_x"),
    ("B2C_1_\u{202E}x", .invalidPolicy, "B2C_1_x"),
    ("?p=B2C_1_x", .invalidPolicy, "B2C_1_x"),
    ("p=B2C_1_x&nonce=1", .invalidPolicy, "B2C_1_x"),
    ("https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x/v2.0", .invalidPolicy, "B2C_1_x"),
    ("https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=B2C_1_x", .invalidPolicy, "B2C_1_x"),
    ("a/b", .invalidPolicy, nil),
    ("a%20b", .invalidPolicy, nil),
    ("a#b", .invalidPolicy, nil),
    ("a&b", .invalidPolicy, nil),
    ("..", .invalidPolicy, nil),
    (String(repeating: "x", count: 129), .invalidPolicy, nil),
    ("<Enter the sign in policy>", .placeholder, nil),
    ("{policy}", .placeholder, nil),
  ])
  func refused(id: String, code: AuthorityError.Code, suggestion: String?) throws {
    let error = try #require(throws: AuthorityError.self) { try Policy(id) }
    #expect(error.code == code)
    #expect(error.suggestion == suggestion)
    #expect(error.recoverySuggestion != nil)
  }

  @Test func charactersThatOnlyNeedEscapingAreFine() throws {
    #expect(try Policy("B2C_1_a+b;c'é").id == "B2C_1_a+b;c'é")
  }
}
