import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("Sign-in", .hangLimit)
struct SignInTests {
  @Test("A sign-in returns verified claims, an access token and the id_token, and stores one record")
  func works() async throws {
    let scene = Scene()
    let result = try await scene.connector().signIn()
    #expect(result.user.name == LocalUser.alice.displayName && result.user.emails == [LocalUser.alice.email])
    #expect(result.user.objectID == LocalUser.alice.id && result.policy?.id == Scene.signIn)
    #expect(result.user.id == "\(LocalUser.alice.id).\(scene.tenant.tenantID)")
    #expect(result.accessToken?.expiresAt == scene.clock.date.addingTimeInterval(3600))
    #expect(result.idToken?.value.split(separator: ".").count == 3)
    #expect(try await scene.record().idToken == result.idToken)
    #expect(try await scene.cache.keys().count == 1)
  }

  // MARK: What is sent

  @Test("Each sign-in has a state, a nonce and an S256 challenge of its own, and redeems with its verifier")
  func freshSecrets() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    for _ in 0..<2 { try await connector.signIn(options: SignInOptions(prompt: .login)) }
    let (queries, forms) = (presenter.requests.map { query(of: $0.url) }, scene.transport.tokenForms)
    #expect(queries.count == 2 && forms.count == 2)
    for (query, form) in zip(queries, forms) {
      #expect(query["code_challenge_method"] == "S256" && query["response_type"] == "code")
      #expect(PKCE.challenge(of: Secret(form["code_verifier"] ?? "")) == query["code_challenge"])
    }
    for name in ["state", "nonce", "code_challenge"] {
      #expect(queries.allSatisfy { $0[name]?.count == 43 } && queries[0][name] != queries[1][name], "\(name)")
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
    let requests = scene.transport.requests.filter(\.isTokenRequest)
    let device = shape == .b2c ? [] : ["urn:ietf:params:oauth:grant-type:device_code"]
    #expect(requests.map { $0.form["grant_type"] } == ["authorization_code", "refresh_token"] + device)
    for name in ["client_secret", "client_assertion", "username", "password"] {
      #expect(requests.allSatisfy { $0.form[name] == nil }, "\(name)")
    }
    #expect(requests.allSatisfy { $0.value(forHTTPHeaderField: "Authorization") == nil })
  }

  @Test("Options reach the page, and the wishes of the settings reach the presenter")
  func options() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(LocalUser(email: "f@example.com", password: "", displayName: "F Friend")))
    let scopes = scene.tenant.apiScopes
    let settings = try scene.settings {
      ($0.scopes, $0.additionalScopes, $0.fullScreen) = ([scopes[0]], [scopes[1]], true)
    }
    let claims = #"{"id_token":{}}"#
    try await scene.connector(settings, presenter: presenter).signIn(
      options: SignInOptions(
        prompt: Prompt(rawValue: "login"), loginHint: "a+b@example.com", domainHint: "facebook.com",
        uiLocales: ["de", "en-GB"], extraParameters: ["campaignId": "spring;1"], claimsRequest: claims,
        prefersEphemeralSession: true))
    let request = try require(presenter.requests.first)
    for (name, value) in [
      ("prompt", "login"), ("login_hint", "a+b@example.com"), ("domain_hint", "facebook.com"),
      ("ui_locales", "de en-GB"), ("campaignId", "spring;1"), ("claims", claims),
    ] {
      #expect(query(of: request.url)[name] == value)
    }
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
    let error = try await #require(throws: ConnectorError.self) {
      try await scene.connector().signIn(options: SignInOptions(extraParameters: [name: "x"]))
    }
    #expect(error.code == .configuration && error.message.contains("xtra parameter"))
    #expect(error.message.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) })
    #expect(scene.network.requestCount == 0)
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
    "A claims request that is not a JSON object is refused before anything is sent",
    arguments: ["mfa", "[]", "{", "null", #"{"a":1}x"#])
  func claimsRequest(_ claims: String) async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    let sent = scene.network.requestCount
    await expectError(ConnectorError.self, .configuration, saying: "JSON object") {
      try await connector.accessToken(claims: claims)
    }
    await expectError(ConnectorError.self, .configuration, saying: "JSON object") {
      try await connector.signIn(options: SignInOptions(prompt: .login, claimsRequest: claims))
    }
    #expect(scene.network.requestCount == sent)
  }

  @Test("A claims challenge of an API reaches the next sign-in")
  func claimsChallenge() async throws {
    let stage = try await SignedInScene(after: 0)
    let claims = SignedInScene.claims
    let challenge = #"Bearer error="insufficient_claims", claims="\#(Data(claims.utf8).base64EncodedString())""#
    let answer = LocalResponse(status: 401, headers: ["WWW-Authenticate": challenge])
    stage.scene.tasks.faults = [LocalFault(.respond(answer))]
    let error = try await #require(throws: ConnectorError.self) { try await stage.connector.getTaskList() }
    #expect(error.code == .claimsRequired && !error.needsInteraction && error.claims == claims)
    #expect(error.oauthError == "insufficient_claims" && error.status == 401)
    try await stage.connector.signIn(options: SignInOptions(prompt: .login, claimsRequest: error.claims))
    #expect(query(of: try #require(stage.presenter.requests.last).url)["claims"] == claims)
  }

  // MARK: Other ends

  @Test("A sign-in without an id_token is refused", arguments: [LocalTenant.Shape.b2c, .openIDConnect])
  func noIDToken(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape) { $0.changeTokenAnswer = { $0["id_token"] = nil } }
    await expectError(ConnectorError.self, .invalidResponse, saying: "no id_token") {
      try await scene.connector().signIn()
    }
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

  // MARK: A forgotten password

  /// A connector whose settings have a policy that resets passwords.
  private func resetting(_ scene: Scene, _ presenter: any SignInPresenter) throws -> Connector {
    let reset = try Policy(id: "B2C_1_ResetPassword", kind: .passwordReset)
    return try scene.connector(scene.settings { $0.policies.others = [reset] }, presenter: presenter)
  }

  /// The queries of the pages of a sign-in, on each of which the user says that the password is forgotten.
  private func pages(
    _ signIn: (Connector) async throws -> SignInResult
  ) async throws -> [[String: String]] {
    let pages = Recorder<URL>()
    let presenter = CannedPresenter {
      pages.record($0.url)
      return "\(Scene.redirect)?error=access_denied&error_description=AADB2C90118%3a+Text.&state=\($0.state.value)"
    }
    let connector = try resetting(Scene(), presenter)
    await expectError(ConnectorError.self, .passwordResetRequested) { try await signIn(connector) }
    return pages.values.map { query(of: $0) }
  }

  @Test(
    "A forgotten password is an error without a reset policy, and with one it is reset and the sign-in goes on, which the user may also end"
  )
  func passwordReset() async throws {
    let (scene, alice, password) = (Scene(), LocalUser.alice.email, "Another-1")
    let presenter = scene.script(.forgotPassword)
    await expectError(ConnectorError.self, .passwordResetRequested) {
      try await scene.connector(presenter: presenter).signIn()
    }
    let connector = try resetting(scene, presenter)
    presenter.follow(.forgotPassword, .resetPassword(email: alice, newPassword: password), .closeBrowser)
    await expectError(ConnectorError.self, .userClosedBrowser) {
      try await connector.signIn(options: SignInOptions(prompt: .login))
    }
    #expect(try await connector.users().isEmpty)
    presenter.follow(
      .forgotPassword, .resetPassword(email: alice, newPassword: password), .signIn(email: alice, password: password))
    let result = try await connector.signIn(options: SignInOptions(prompt: .login))
    #expect(result.policy?.id == Scene.signIn && presenter.requests.count == 1 + 3 + 3)
    #expect(try await connector.users().count == 1)
  }

  @Test(
    "A reset policy whose page asks for a reset is not run again, whatever its kind",
    arguments: [nil, Policy.Kind.passwordReset, .signIn])
  func resetOfReset(_ kind: Policy.Kind?) async throws {
    let pages = try await pages { try await $0.signIn(policy: Policy(id: "b2c_1_resetpassword", kind: kind)) }
    #expect(pages.count == 1)
  }

  @Test("The page of a reset gets neither the policy's domain hint nor other parameters of the sign-in page")
  func resetParameters() async throws {
    let claims = #"{"id_token":{}}"#
    let options = SignInOptions(
      prompt: .login, domainHint: "facebook.com", extraParameters: ["campaignId": "x"], claimsRequest: claims)
    let pages = try await pages { try await $0.signIn(options: options) }
    for (name, value) in [
      ("domain_hint", "facebook.com"), ("prompt", "login"), ("campaignId", "x"), ("claims", claims),
    ] {
      #expect(pages.map { $0[name] } == [value, nil])
    }
  }
}
