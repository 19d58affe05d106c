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
  private static let facebookUser = LocalUser(email: "f@example.com", password: "", displayName: "F Friend")

  @Test("A sign-in returns verified claims and an access token, and stores one record")
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

  @Test("Each sign-in has a state, a nonce and an S256 challenge of its own, and redeems with its verifier")
  func freshSecrets() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    for _ in 0..<2 { try await connector.signIn(options: SignInOptions(prompt: .login)) }
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
    for (form, query) in zip(forms, queries) {
      #expect(PKCE.challenge(of: Secret(form["code_verifier"] ?? "")) == query["code_challenge"])
    }
  }

  @Test(
    "No token request has a client secret or a password, and none is of the password grant",
    arguments: [LocalTenant.Shape.b2c, .entra, .openIDConnect])
  func publicClient(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape)
    let connector = try await scene.signedIn()
    _ = try await connector.accessToken(forceRefresh: true)
    if shape != .b2c {
      try await connector.signInWithDeviceCode {
        _ = scene.tenant.approveDevice(userCode: $0.userCode, email: LocalUser.alice.email)
      }
    }
    let requests = scene.transport.requests.filter { $0.path.hasSuffix("/token") }
    let device = "urn:ietf:params:oauth:grant-type:device_code"
    #expect(
      requests.map { $0.form["grant_type"] }
        == ["authorization_code", "refresh_token"] + (shape == .b2c ? [] : [device]))
    for name in ["client_secret", "client_assertion", "username", "password"] {
      #expect(requests.allSatisfy { $0.form[name] == nil }, "\(name)")
    }
    #expect(requests.allSatisfy { $0.value(forHTTPHeaderField: "Authorization") == nil })
  }

  @Test("Options reach the page, and the wishes of the settings reach the presenter")
  func options() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(Self.facebookUser))
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
    for (name, value) in [
      ("prompt", "login"), ("login_hint", "a+b@example.com"), ("domain_hint", "facebook.com"),
      ("ui_locales", "de en-GB"), ("campaignId", "spring;1"), ("claims", #"{"id_token":{}}"#),
    ] {
      #expect(query[name] == value)
    }
    let asked = (query["scope"] ?? "").split(separator: " ").map(String.init)
    #expect(Set(asked) == ["openid", "offline_access", scopes[0], scopes[1]])
    #expect(request.prefersEphemeralSession && request.prefersFullScreen)
    // Scopes that are only consented to are not asked for a token.
    #expect(scene.transport.tokenForms[0]["scope"] == "openid offline_access \(scopes[0])")
  }

  @Test(
    "An extra parameter must not replace one of the protocol, and its name has visible ASCII characters only",
    arguments: [
      "state", "Nonce", "client_id", "p", "prompt", "code_challenge", " state", "state ", "\tstate", "state\t",
      "\0state", "state\0x", "\u{FEFF}state", "state\u{FEFF}", "sta\nte", "st\u{E4}te", "", " ", "campaign id",
      "\u{7F}x",
    ])
  func extraParameter(name: String) async throws {
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
      #expect(query(of: try #require(presenter.requests.last).url)["domain_hint"] == hint)
    }
  }

  @Test(
    "Closing the browser and Cancel in the page are told apart",
    arguments: [
      (ScriptedPresenter.Action.closeBrowser, ErrorCode.userClosedBrowser, nil),
      (.cancel, .userCancelledInPage, "AADB2C90091"),
    ])
  func cancelling(_ action: ScriptedPresenter.Action, _ code: ErrorCode, _ serverCode: String?) async throws {
    let scene = Scene()
    let presenter = scene.script(action)
    let error = try await #require(throws: ConnectorError.self) {
      try await scene.connector(presenter: presenter).signIn()
    }
    #expect(error.code == code && error.serverCode == serverCode)
    let id = query(of: try #require(presenter.requests.first).url)["client-request-id"]
    #expect(error.correlationID == UUID(uuidString: try #require(id)))
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

  /// A connector whose settings have a policy that resets passwords.
  private func resetting(_ scene: Scene, _ presenter: any SignInPresenter) throws -> Connector {
    let reset = try Policy(id: "B2C_1_ResetPassword", kind: .passwordReset)
    return try scene.connector(scene.settings { $0.policies.others = [reset] }, presenter: presenter)
  }

  @Test("A forgotten password is an error without a reset policy, and with one it is reset and the sign-in goes on")
  func passwordReset() async throws {
    let scene = Scene()
    await expectError(ConnectorError.self, .passwordResetRequested) {
      try await scene.connector(presenter: scene.script(.forgotPassword)).signIn()
    }
    let presenter = ScriptedPresenter(
      transport: scene.network, .forgotPassword,
      .resetPassword(email: LocalUser.alice.email, newPassword: "Another-1"),
      .signIn(email: LocalUser.alice.email, password: "Another-1"))
    let connector = try resetting(scene, presenter)
    let result = try await connector.signIn(options: SignInOptions(prompt: .login))
    #expect(result.policy?.id == Scene.signIn)
    #expect(presenter.requests.count == 3)
    #expect(try await connector.users().count == 1)
  }

  @Test("A user who closes the page after the reset is not signed in")
  func passwordResetOnly() async throws {
    let scene = Scene()
    let connector = try resetting(
      scene,
      ScriptedPresenter(
        transport: scene.network, .forgotPassword,
        .resetPassword(email: LocalUser.alice.email, newPassword: "Another-1"), .closeBrowser))
    await expectError(ConnectorError.self, .userClosedBrowser) {
      try await connector.signIn(options: SignInOptions(prompt: .login))
    }
    #expect(try await scene.cache.keys().isEmpty)
    #expect(try await connector.session.user == nil)
  }

  @Test(
    "A reset policy whose page asks for a reset is not run again, whatever its kind",
    arguments: [nil, Policy.Kind.passwordReset, .signIn])
  func resetOfReset(_ kind: Policy.Kind?) async throws {
    let (scene, pages) = (Scene(), Recorder<URL>())
    let presenter = CannedPresenter { request in
      pages.record(request.url)
      return "\(Scene.redirect)?error=access_denied&error_description=AADB2C90118%3a+Text.&state=\(request.state.value)"
    }
    await expectError(ConnectorError.self, .passwordResetRequested) {
      try await resetting(scene, presenter).signIn(policy: Policy(id: "b2c_1_resetpassword", kind: kind))
    }
    #expect(pages.values.count == 1)
  }

  @Test(
    "A sign-in without an id_token is refused with its request", arguments: [LocalTenant.Shape.b2c, .openIDConnect])
  func noIDToken(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape) { $0.changeTokenAnswer = { $0["id_token"] = nil } }
    let error = try await #require(throws: ConnectorError.self) { try await scene.connector().signIn() }
    #expect(error.code == .invalidResponse)
    #expect(error.method == "POST" && error.url?.hasSuffix("/token") == true)
    #expect(try await scene.cache.keys().isEmpty)
  }

  @Test(
    "The required user may be named by email in any case or by object id",
    arguments: [LocalUser.alice.email.uppercased(), LocalUser.alice.id])
  func requiredUser(name: String) async throws {
    let scene = Scene()
    let connector = try scene.connector(scene.settings { $0.userID = name })
    #expect(try await connector.signIn().user.objectID == LocalUser.alice.id)
  }
}
