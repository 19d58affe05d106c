import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Sign-in", .hangLimit)
struct SignInTests {
  @Test("A sign-in brings verified claims, an access token and one record")
  func works() async throws {
    let scene = Scene()
    let result = try await scene.connector().signIn()
    #expect(result.user.name == LocalUser.alice.displayName)
    #expect(result.user.emails == [LocalUser.alice.email])
    #expect(result.user.objectID == LocalUser.alice.id)
    #expect(result.policy?.id == Scene.signIn)
    #expect(result.accessToken?.expiresAt == scene.clock.date.addingTimeInterval(3600))
    #expect(result.user.id == "\(LocalUser.alice.id).\(scene.tenant.tenantID)")
    #expect(try await scene.cache.keys().count == 1)
  }

  @Test("The request carries S256, state and nonce, and none of them twice")
  func freshSecrets() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    try await connector.signIn(options: SignInOptions(prompt: .login))
    try await connector.signIn(options: SignInOptions(prompt: .login))
    let queries = presenter.requests.map { query(of: $0.url) }
    #expect(queries.count == 2)
    for query in queries {
      #expect(query["code_challenge_method"] == "S256")
      #expect(query["response_type"] == "code")
      for name in ["state", "nonce", "code_challenge"] { #expect((query[name] ?? "").count == 43) }
    }
    for name in ["state", "nonce", "code_challenge"] { #expect(queries[0][name] != queries[1][name]) }
    let forms = scene.transport.tokenForms
    #expect(forms.count == 2 && forms.allSatisfy { $0["code"]?.isEmpty == false })
    let verifiers = forms.compactMap { $0["code_verifier"] }
    #expect(Set(verifiers).count == 2)
    for (verifier, query) in zip(verifiers, queries) {
      #expect(PKCE.challenge(of: Secret(verifier)) == query["code_challenge"])
    }
  }

  @Test("No token request has a client secret or a password, and none is of the password grant", arguments: Self.shapes)
  func publicClient(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape)
    let connector = try await scene.signedIn()
    _ = try await connector.accessToken(forceRefresh: true)
    if shape != .b2c {
      try await connector.signInWithDeviceCode {
        _ = scene.tenant.approveDevice(userCode: $0.userCode, email: LocalUser.alice.email)
      }
    }
    let forms = scene.transport.tokenForms
    let device = "urn:ietf:params:oauth:grant-type:device_code"
    #expect(
      forms.map { $0["grant_type"] } == ["authorization_code", "refresh_token"] + (shape == .b2c ? [] : [device]))
    for name in ["client_secret", "client_assertion", "username", "password"] {
      #expect(forms.allSatisfy { $0[name] == nil }, "\(name)")
    }
    let requests = scene.transport.requests.filter { $0.path.hasSuffix("/token") }
    #expect(
      requests.count == forms.count && requests.allSatisfy { $0.value(forHTTPHeaderField: "Authorization") == nil })
  }

  private static let shapes: [LocalTenant.Shape] = [.b2c, .entra, .openIDConnect]

  @Test("Options reach the page, and the plist's wishes reach the presenter")
  func options() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(LocalUser(email: "f@example.com", password: "", displayName: "F Friend")))
    let scopes = scene.tenant.apiScopes
    let settings = try scene.settings {
      ($0.scopes, $0.additionalScopes, $0.fullScreen) = ([scopes[0]], [scopes[1]], true)
    }
    try await scene.connector(settings, presenter: presenter).signIn(
      options: SignInOptions(
        prompt: Prompt(rawValue: "login"), loginHint: "a+b@example.com", domainHint: "facebook.com",
        uiLocales: ["de", "en-GB"],
        extraParameters: ["campaignId": "spring;1"], claimsRequest: #"{"id_token":{}}"#,
        prefersEphemeralSession: true))
    let request = try require(presenter.requests.first)
    let query = query(of: request.url)
    #expect(query["prompt"] == "login")
    #expect(query["login_hint"] == "a+b@example.com")
    #expect(query["domain_hint"] == "facebook.com")
    #expect(query["ui_locales"] == "de en-GB")
    #expect(query["campaignId"] == "spring;1")
    #expect(query["claims"] == #"{"id_token":{}}"#)
    let asked = (query["scope"] ?? "").split(separator: " ").map(String.init)
    #expect(Set(asked) == ["openid", "offline_access", scopes[0], scopes[1]])
    #expect(request.prefersEphemeralSession && request.prefersFullScreen)
    // Scopes that are only consented to are not asked for a token.
    #expect(scene.transport.tokenForms[0]["scope"] == "openid offline_access \(scopes[0])")
  }

  @Test(
    "Parameters of the protocol cannot be overridden",
    arguments: ["state", "Nonce", "client_id", "p", "prompt", "code_challenge"])
  func reserved(name: String) async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    await expectError(ConnectorError.self, .configuration, saying: "xtra parameter") {
      try await scene.connector(presenter: presenter).signIn(options: SignInOptions(extraParameters: [name: "x"]))
    }
    #expect(presenter.requests.isEmpty)
  }

  @Test(
    "Names of extra parameters are of visible ASCII characters",
    arguments: [
      " state", "state ", "\tstate", "state\t", "\0state", "state\0x", "\u{FEFF}state", "state\u{FEFF}", "sta\nte",
      "st\u{E4}te",
      "", " ", "campaign id", "\u{7F}x",
    ])
  func paddedNames(name: String) async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    let error = try await #require(throws: ConnectorError.self) {
      try await connector.signIn(options: SignInOptions(extraParameters: [name: "x"]))
    }
    #expect(error.code == .configuration && error.message.contains("xtra parameter"))
    #expect(error.message.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) })
    #expect(presenter.requests.isEmpty)
  }

  @Test("One policy under two keys: each sign-in has the domain hint of its own key")
  func hintOfEachKey() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    for hint in [nil, "facebook.com", nil] {
      _ = try? await connector.signIn(policy: try Policy(id: Scene.signIn, domainHint: hint))
      #expect(
        try #require(presenter.requests.last).url.absoluteString.contains("domain_hint=facebook.com") == (hint != nil))
    }
  }

  @Test("Closing the browser and Cancel in the page are told apart")
  func cancelling() async throws {
    let scene = Scene()
    await expectError(ConnectorError.self, .userClosedBrowser) {
      try await scene.connector(presenter: scene.script(.closeBrowser)).signIn()
    }
    await expectError(ConnectorError.self, .userCancelledInPage) {
      try await scene.connector(presenter: scene.script(.cancel)).signIn()
    }
    #expect(try await scene.cache.keys().isEmpty)
  }

  @Test("The prompt `none` is sent, and shows no page; without a prompt none is sent")
  func silentPrompt() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    await expectError(ConnectorError.self, .interactionRequired) {
      try await connector.signIn(options: SignInOptions(prompt: .none))
    }
    #expect(presenter.requests.map { query(of: $0.url)["prompt"] } == ["none"])
    try await connector.signIn()
    // Now there is a session, of which the provider knows without a page.
    try await connector.signIn(options: SignInOptions(prompt: .none))
    #expect(presenter.requests.map { query(of: $0.url)["prompt"] } == ["none", nil, "none"])
  }

  @Test("An error keeps everything the server said")
  func details() async throws {
    let scene = Scene()
    let error = try await #require(throws: ConnectorError.self) {
      try await scene.connector(presenter: scene.script(.cancel)).signIn()
    }
    let answered = scene.tenant.requests.last { $0.request.path.hasSuffix("/authorize") }?.response?.headers[
      "client-request-id"]
    #expect(error.serverCode == "AADB2C90091")
    #expect(error.oauthError == "access_denied")
    #expect(error.correlationID == UUID(uuidString: try #require(answered)))
    let description = try #require(error.serverDescription)
    #expect(description.hasPrefix("AADB2C90091: The user has cancelled"))
    #expect(!description.contains("+") && !description.contains("%"))
  }

  @Test("A forgotten password is a typed outcome without a reset policy")
  func forgottenPassword() async throws {
    let scene = Scene()
    await expectError(ConnectorError.self, .passwordResetRequested) {
      try await scene.connector(presenter: scene.script(.forgotPassword)).signIn()
    }
  }

  @Test("With a reset policy it is run, and the sign-in goes on")
  func passwordReset() async throws {
    let scene = Scene()
    let presenter = ScriptedPresenter(
      transport: scene.network, .forgotPassword,
      .resetPassword(email: LocalUser.alice.email, newPassword: "Another-1"),
      .signIn(email: LocalUser.alice.email, password: "Another-1"))
    let connector = try scene.connector(
      scene.settings { $0.policies.others = [try Policy(id: "B2C_1_ResetPassword", kind: .passwordReset)] },
      presenter: presenter)
    let result = try await connector.signIn(options: SignInOptions(prompt: .login))
    #expect(result.policy?.id == Scene.signIn)
    #expect(presenter.requests.count == 3)
    #expect(try await connector.users().count == 1)
  }

  @Test("Giving up after the reset leaves nobody signed in who was not before")
  func passwordResetOnly() async throws {
    let scene = Scene()
    let presenter = ScriptedPresenter(
      transport: scene.network, .forgotPassword,
      .resetPassword(email: LocalUser.alice.email, newPassword: "Another-1"), .closeBrowser)
    let connector = try scene.connector(
      scene.settings { $0.policies.others = [try Policy(id: "B2C_1_ResetPassword", kind: .passwordReset)] },
      presenter: presenter)
    await expectError(ConnectorError.self, .userClosedBrowser) {
      try await connector.signIn(options: SignInOptions(prompt: .login))
    }
    #expect(try await scene.cache.keys().isEmpty)
    #expect(try await connector.session.user == nil)
  }

  @Test(
    "A token answer without an id_token is refused, and named with its request",
    arguments: [LocalTenant.Shape.b2c, .openIDConnect])
  func noIDToken(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape) { $0.changeTokenAnswer = { $0["id_token"] = nil } }
    let error = try await #require(throws: ConnectorError.self) { try await scene.connector().signIn() }
    #expect(error.code == .invalidResponse)
    #expect(error.method == "POST" && error.url?.hasSuffix("/token") == true)
    #expect(try await scene.cache.keys().isEmpty)
  }

  @Test("Somebody else than the required user stores nothing")
  func wrongUser() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.bob))
    let connector = try scene.connector(scene.settings { $0.userID = LocalUser.alice.email }, presenter: presenter)
    await expectError(ConnectorError.self, .wrongUser) { try await connector.signIn() }
    #expect(try await scene.cache.keys().isEmpty)
    #expect(query(of: try require(presenter.requests.first).url)["login_hint"] == LocalUser.alice.email)
  }

  @Test(
    "The required user may be named by email in any case or by object id",
    arguments: [LocalUser.alice.email.uppercased(), LocalUser.alice.id])
  func requiredUser(name: String) async throws {
    let scene = Scene()
    let connector = try scene.connector(scene.settings { $0.userID = name })
    #expect(try await connector.signIn().user.objectID == LocalUser.alice.id)
  }

  @Test("Sign-up makes an account")
  func signUp() async throws {
    let scene = Scene()
    let presenter = scene.script(
      .signUp(email: "new@example.com", password: "Not-A-Secret-3", displayName: "New Person"))
    let result = try await scene.connector(presenter: presenter).signIn(
      policy: Policy(id: "B2C_1_SignUp", kind: .signUp))
    #expect(result.user.name == "New Person")
    #expect(result.policy?.kind == .signUp)
  }

  @Test("The identity provider's fragment after the query does no harm")
  func facebook() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(LocalUser(email: "f@example.com", password: "", displayName: "F Friend")))
    let policy = try Policy(id: "B2C_1_FacebookSignIn", kind: .federatedSignIn, domainHint: "facebook.com")
    let result = try await scene.connector(presenter: presenter).signIn(policy: policy)
    #expect(result.user.identityProvider == "facebook.com")
  }
}
