import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("Policies that edit the profile or reset the password", .hangLimit)
struct UpdatingPolicyTests {
  struct Journey: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let id: String
    let kind: Policy.Kind
    let finish: @Sendable (LocalUser) -> [ScriptedPresenter.Action]

    func policy() throws -> Policy { try Policy(id: id, kind: kind) }
  }

  static let journeys = [
    Journey(testDescription: "a profile edit", id: "B2C_1_EditProfile", kind: .profileEdit) {
      [.signIn($0), .editProfile(displayName: "Renamed")]
    },
    Journey(testDescription: "a password reset", id: "B2C_1_ResetPassword", kind: .passwordReset) {
      [.resetPassword(email: $0.email, newPassword: "Another-1")]
    },
  ]

  private static let tenantID = "22222222-2222-4222-8222-222222222222"

  private func signedIn(
    _ journey: Journey, behavior: (inout LocalTenant.Behavior) -> Void = { _ in }
  ) async throws -> (Scene, ScriptedPresenter, Connector, SignInResult) {
    let scene = Scene(tenantID: Self.tenantID, behavior: behavior)
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    return (scene, presenter, connector, try await connector.signIn())
  }

  private func run(
    _ journey: Journey, as user: LocalUser, _ presenter: ScriptedPresenter, _ connector: Connector
  ) async throws -> SignInResult {
    presenter.clearCookies()
    switch journey.finish(user) {
    case let actions where actions.count == 2: presenter.follow(actions[0], actions[1])
    case let actions: presenter.follow(actions[0])
    }
    return try await connector.signIn(policy: journey.policy())
  }

  @Test("Finished by a person who is not signed in here they return that person and store nothing", arguments: journeys)
  func anotherPerson(_ journey: Journey) async throws {
    let (scene, presenter, connector, alice) = try await signedIn(journey)
    let key = try #require(try await scene.cache.keys().first)
    let before = try await scene.cache.record(for: key)
    let result = try await run(journey, as: .bob, presenter, connector)
    #expect(result.user.objectID == LocalUser.bob.id && !result.user.hasSession)
    #expect(try await connector.session.user?.id == alice.user.id)
    #expect(try await connector.accessToken().token == alice.accessToken?.token)
    #expect(try await connector.users().map(\.name) == [LocalUser.alice.displayName])
    #expect(try await scene.cache.keys() == [key])
    #expect(try await scene.cache.record(for: key) == before)
  }

  @Test(
    "Finished by a user who is not the current one they lay claims over that user's record, and switch nobody",
    arguments: journeys)
  func anotherUser(_ journey: Journey) async throws {
    let (scene, presenter, connector, alice) = try await signedIn(journey)
    presenter.clearCookies()
    presenter.follow(.signIn(.bob))
    await scene.clock.advance(by: .seconds(1))
    let bob = try await connector.signIn()
    scene.tenant.behavior.changeIDTokenClaims = { $0["jobTitle"] = "Baker" }
    let result = try await run(journey, as: .alice, presenter, connector)
    #expect(result.user.id == alice.user.id)
    #expect(try await connector.session.user?.id == bob.user.id)
    #expect(try await connector.user(id: bob.user.id)?.claims["jobTitle"] == nil)
    let edited = try #require(try await connector.user(id: alice.user.id))
    #expect(edited.claims["jobTitle"] == "Baker" && edited.policyID == Scene.signIn)
    #expect(try await connector.accessToken().token == bob.accessToken?.token)
    #expect(try await connector.accessToken(user: alice.user).token == alice.accessToken?.token)
    #expect(try await scene.cache.keys().count == 2)
  }

  @Test("Where another user is required they are refused: wrongUser", arguments: journeys)
  func requiredUser(_ journey: Journey) async throws {
    let (scene, presenter, _, alice) = try await signedIn(journey)
    let connector = try scene.connector(scene.settings { $0.userID = LocalUser.alice.email }, presenter: presenter)
    await expectError(ConnectorError.self, .wrongUser) { try await run(journey, as: .bob, presenter, connector) }
    #expect(try await connector.session.user?.id == alice.user.id)
  }

  @Test("With nobody signed in they leave no session", arguments: journeys)
  func nobody(_ journey: Journey) async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    let result = try await run(journey, as: .alice, presenter, connector)
    #expect(result.user.objectID == LocalUser.alice.id)
    #expect(try await connector.session.user == nil)
    #expect(try await scene.cache.keys().isEmpty)
    await expectError(ConnectorError.self, .interactionRequired) { try await connector.accessToken() }
  }

  @Test("Finished by the person who is signed in they make no second user", arguments: journeys)
  func samePerson(_ journey: Journey) async throws {
    let (scene, presenter, connector, alice) = try await signedIn(journey)
    let result = try await run(journey, as: .alice, presenter, connector)
    #expect(result.user.id == alice.user.id)
    #expect(try await scene.cache.keys().count == 1)
    #expect(try await connector.session.user?.policyID == Scene.signIn)
  }

  @Test("After a profile edit the session goes on as it was, without a request for a token")
  func renewedAfterEdit() async throws {
    let journey = Self.journeys[0]
    let (scene, presenter, connector, alice) = try await signedIn(journey)
    _ = try await run(journey, as: .alice, presenter, connector)
    #expect(try await connector.accessToken().token == alice.accessToken?.token)
    #expect(scene.tenant.counters.refreshRequests == 0)
    let user = try #require(try await connector.session.user)
    #expect(user.hasSession)
    #expect(user.name == "Renamed" && user.policyID == Scene.signIn)
  }

  @Test("Where the issuer names the policy, a refresh after an edit is no other issuer")
  func issuerOfPolicy() async throws {
    let journey = Self.journeys[0]
    let (scene, presenter, connector, _) = try await signedIn(journey) { behavior in
      let issuer = { @Sendable (policy: String) in
        JSONValue.string("https://contoso.b2clogin.com/tfp/\(Self.tenantID)/\(policy)/v2.0/")
      }
      behavior.changeMetadata = { metadata in
        let isSignIn = metadata["token_endpoint"]?.string?.contains(Scene.signIn.lowercased()) == true
        metadata["issuer"] = issuer((isSignIn ? Scene.signIn : journey.id).lowercased())
      }
      behavior.changeIDTokenClaims = { claims in
        guard let policy = claims["tfp"]?.string?.lowercased() else { return }
        claims["iss"] = issuer(policy)
        // What else describes a token is not taken from the edit either.
        if policy == journey.id.lowercased() { claims["sub"] = "of-the-edit" }
      }
    }
    let before = try await scene.record().claims
    _ = try await run(journey, as: .alice, presenter, connector)
    let after = try await scene.record().claims
    for name in ["iss", "sub", "tfp", "exp", "iat", "nonce", "aud"] { #expect(after[name] == before[name], "\(name)") }
    try #require(before["iss"]?.string?.contains("/b2c_1_signin/") == true)
    _ = try await connector.accessToken(forceRefresh: true)
    #expect(scene.tenant.counters.refreshes == 1)
  }

  @Test("Where a reset ends the older tokens, the next call that needs a new one finds out", arguments: journeys[1...])
  func expiredAfterReset(_ journey: Journey) async throws {
    let (scene, presenter, connector, alice) = try await signedIn(journey)
    _ = try await run(journey, as: .alice, presenter, connector)
    #expect(scene.tenant.counters.refreshRequests == 0)
    await scene.clock.advance(by: .seconds(4_000))
    // The dead token is sent once.
    for _ in 0..<2 {
      await expectError(ConnectorError.self, .interactionRequired) { try await connector.accessToken() }
    }
    #expect(scene.tenant.counters.refreshRequests == 1)
    let user = try #require(try await connector.session.user)
    #expect(!user.hasSession)
    #expect(user.subject == alice.user.subject)
  }

  @Test("A reset while the token endpoint is down ends nothing", arguments: journeys[1...])
  func resetOffline(_ journey: Journey) async throws {
    let (scene, presenter, connector, alice) = try await signedIn(journey)
    scene.transport.answerTokens(503, "", grant: "refresh_token")
    _ = try await run(journey, as: .alice, presenter, connector)
    #expect(try await connector.session.user?.hasSession == true)
    #expect(try await connector.accessToken().token == alice.accessToken?.token)
  }

  @Test(
    "A sign-in replaces a record without a refresh token, whatever its policy is called",
    arguments: ["B2C_1_susi_reset_v2", "B2C_1_edit_profile_login", "B2C_1A_forgot"])
  func endedRecord(_ id: String) async throws {
    let scene = Scene(policies: [LocalPolicy(id, .signUpOrSignIn)])
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(
      scene.settings { $0.policies.selected = try Policy(id) }, presenter: presenter)
    try await connector.signIn()
    scene.tenant.revokeGrants()
    await scene.clock.advance(by: .seconds(4_000))
    await expectError(ConnectorError.self, .interactionRequired) { try await connector.accessToken() }
    presenter.clearCookies()
    let again = try await connector.signIn()
    #expect(try await connector.accessToken().token == again.accessToken?.token)
    await scene.clock.advance(by: .seconds(4_000))
    _ = try await connector.accessToken()
  }

  @Test("The password-reset step gets neither the policy's domain hint nor other parameters of the sign-in page")
  func stepParameters() async throws {
    let scene = Scene()
    let asked = Recorder<URL>()
    let presenter = CannedPresenter { request in
      guard asked.values.isEmpty else {
        asked.record(request.url)
        throw ConnectorError(own: .userClosedBrowser, "Closed.")
      }
      asked.record(request.url)
      return
        "\(Scene.redirect)?error=access_denied&error_description=AADB2C90118%3a+Text.&state=\(request.state.value)"
    }
    let connector = try scene.connector(
      scene.settings { $0.policies.others = [try Policy(id: "B2C_1_ResetPassword", kind: .passwordReset)] },
      presenter: presenter)
    await expectError(ConnectorError.self, .userClosedBrowser) {
      try await connector.signIn(
        options: SignInOptions(prompt: .login, domainHint: "facebook.com", extraParameters: ["campaignId": "x"]))
    }
    let queries = asked.values.map { query(of: $0) }
    #expect(queries.map { $0["domain_hint"] } == ["facebook.com", nil])
    #expect(queries.map { $0["prompt"] } == ["login", nil])
    #expect(queries.map { $0["campaignId"] } == ["x", nil])
  }

  @Test("The password-reset step of another person lets that person sign in")
  func stepOfAnother() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(
      scene.settings { $0.policies.others = [try Policy(id: "B2C_1_ResetPassword", kind: .passwordReset)] },
      presenter: presenter)
    try await connector.signIn()
    presenter.clearCookies()
    await scene.clock.advance(by: .seconds(1))
    presenter.follow(
      .forgotPassword, .resetPassword(email: LocalUser.bob.email, newPassword: "Another-2"),
      .signIn(email: LocalUser.bob.email, password: "Another-2"))
    let bob = try await connector.signIn(options: SignInOptions(prompt: .login))
    #expect(try await connector.session.user?.id == bob.user.id)
  }
}
