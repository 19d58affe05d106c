import B2CAuthority
import Testing

@Suite struct PolicyTests {
  @Test("The developer's case is kept except in the key, and the name is the id unless another is given")
  func names() throws {
    let policy = try Policy("b2C_1a_Sign_In")
    #expect(policy.key == "b2c_1a_sign_in" && policy.id == "b2C_1a_Sign_In")
    #expect(policy.name == "b2C_1a_Sign_In" && policy.domainHint == nil)
    #expect(try Policy(id: "B2C_1_x", name: "").name == "B2C_1_x")
    #expect(try Policy(id: "B2C_1_x", name: "Mail").name == "Mail")
  }

  // A guess by words would take this sign-in policy of Microsoft's guides for a password reset.
  @Test("A policy's name says nothing about its kind, which is the caller's or none, so that the settings complete it")
  func kinds() throws {
    let id = "B2C_1_susi_reset_v2"
    #expect(try Policy(id).kind == nil && Policy(id: id, name: "Sign in").kind == nil)
    #expect(try Policy(id: id, kind: .signIn).kindOrDefault == .signIn && Policy(id).kindOrDefault == .signUpOrSignIn)
  }

  @Test(
    "Invalid ids are refused",
    arguments: [
      "", "   ", " B2C_1_x ", "B2C_1_x\n", "B2C_1_\u{200B}x", "B2C_1_\u{200D}x", "B2C_1_x\u{FE0F}", "B2C_1_\u{202E}x",
      "?p=B2C_1_x", "p=B2C_1_x&nonce=1", "?p=B2C_1_%3ex", "\(contoso)/B2C_1_x/v2.0",
      "\(contoso)/oauth2/v2.0/authorize?p=B2C_1_x", "a/b", "a%20b", "a#b", "a&b", "..", "<Enter the sign in policy>",
      "{policy}", String(repeating: "x", count: 129),
    ])
  func refusals(id: String) throws {
    let error = try #require(throws: ConnectorError.self) { try Policy(id) }
    #expect(error.code == .configuration && error.recoverySuggestion != nil)
  }

  @Test("128 characters are allowed, also those that need escaping")
  func escapedCharacters() throws {
    let id = "B2C_1_a+b;c'é" + String(repeating: "x", count: 115)
    #expect(try Policy(id).id == id)
  }
}
