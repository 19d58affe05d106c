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
  }

  static let journeys = [
    Journey(testDescription: "a profile edit", id: "B2C_1_EditProfile", kind: .profileEdit) {
      [.signIn($0), .editProfile(displayName: "Renamed")]
    },
    Journey(testDescription: "a password reset", id: "B2C_1_ResetPassword", kind: .passwordReset) {
      [.resetPassword(email: $0.email, newPassword: "Another-1")]
    },
  ]

  /// Alice, who has signed in.
  private struct Stage {
    let scene: Scene
    let presenter: ScriptedPresenter
    let connector: Connector
    let alice: SignInResult

    init(behavior: (inout LocalTenant.Behavior) -> Void = { _ in }) async throws {
      scene = Scene(behavior: behavior)
      presenter = scene.script(.signIn(.alice))
      connector = try scene.connector(presenter: presenter)
      alice = try await connector.signIn()
    }

    /// A user finishes the pages of a policy in a fresh browser.
    func run(
      _ journey: Journey, as user: LocalUser = .alice, at other: Connector? = nil
    ) async throws -> SignInResult {
      presenter.clearCookies()
      presenter.follow(journey.finish(user))
      return try await (other ?? connector).signIn(policy: Policy(id: journey.id, kind: journey.kind))
    }
  }

  @Test("Finished by a person who is not signed in here they return that person and store nothing", arguments: journeys)
  func anotherPerson(_ journey: Journey) async throws {
    let stage = try await Stage()
    let (cache, connector) = (stage.scene.cache, stage.connector)
    let (keys, before) = (try await cache.keys(), try await stage.scene.record())
    let result = try await stage.run(journey, as: .bob)
    #expect(result.user.objectID == LocalUser.bob.id && !result.user.hasSession)
    #expect(try await connector.session.user?.id == stage.alice.user.id)
    #expect(try await connector.accessToken().token == stage.alice.accessToken?.token)
    #expect(try await connector.users().map(\.name) == [LocalUser.alice.displayName])
    #expect(try await cache.keys() == keys)
    #expect(try await stage.scene.record() == before)
  }

  @Test("Finished by a user who is not current, they update that user's claims, and switch nobody", arguments: journeys)
  func anotherUser(_ journey: Journey) async throws {
    let stage = try await Stage()
    let (scene, connector, alice) = (stage.scene, stage.connector, stage.alice)
    stage.presenter.clearCookies()
    stage.presenter.follow(.signIn(.bob))
    await scene.clock.advance(by: .seconds(1))
    let bob = try await connector.signIn()
    scene.tenant.behavior.changeIDTokenClaims = { $0["jobTitle"] = "Baker" }
    #expect(try await stage.run(journey).user.id == alice.user.id)
    #expect(try await connector.session.user?.id == bob.user.id)
    #expect(try await connector.user(id: bob.user.id)?.claims["jobTitle"] == nil)
    let edited = try #require(try await connector.user(id: alice.user.id))
    #expect(edited.claims["jobTitle"] == "Baker" && edited.policyID == Scene.signIn)
    #expect(try await connector.accessToken().token == bob.accessToken?.token)
    #expect(try await connector.accessToken(user: alice.user).token == alice.accessToken?.token)
    #expect(try await scene.cache.keys().count == 2)
  }

  @Test("If another user is required, they fail with wrongUser", arguments: journeys)
  func requiredUser(_ journey: Journey) async throws {
    let stage = try await Stage()
    let settings = try stage.scene.settings { $0.userID = LocalUser.alice.email }
    let strict = try stage.scene.connector(settings, presenter: stage.presenter)
    await expectError(ConnectorError.self, .wrongUser) { try await stage.run(journey, as: .bob, at: strict) }
    #expect(try await strict.session.user?.id == stage.alice.user.id)
  }

  @Test(
    "Finished by the current user, they keep the session as it was, without a request for a token", arguments: journeys)
  func samePerson(_ journey: Journey) async throws {
    let stage = try await Stage()
    // A token endpoint that is down ends nothing.
    stage.scene.transport.answerTokens(503, "", grant: "refresh_token")
    #expect(try await stage.run(journey).user.id == stage.alice.user.id)
    #expect(try await stage.connector.accessToken().token == stage.alice.accessToken?.token)
    #expect(stage.scene.transport.tokenForms.allSatisfy { $0["grant_type"] == "authorization_code" })
    #expect(try await stage.scene.cache.keys().count == 1)
    let user = try #require(try await stage.connector.session.user)
    #expect(user.hasSession && user.policyID == Scene.signIn)
    #expect(user.name == (journey.kind == .profileEdit ? "Renamed" : LocalUser.alice.displayName))
  }

  @Test("If the issuer names the policy, a refresh after an edit is no other issuer")
  func issuerOfPolicy() async throws {
    let journey = Self.journeys[0]
    let stage = try await Stage { behavior in
      let issuer = { @Sendable (policy: String) in
        JSONValue.string("https://contoso.b2clogin.com/tfp/22222222-2222-4222-8222-222222222222/\(policy)/v2.0/")
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
    let before = try await stage.scene.record().claims
    _ = try await stage.run(journey)
    let after = try await stage.scene.record().claims
    for name in ["iss", "sub", "tfp", "exp", "iat", "nonce", "aud"] { #expect(after[name] == before[name], "\(name)") }
    try #require(before["iss"]?.string?.contains("/b2c_1_signin/") == true)
    _ = try await stage.connector.accessToken(forceRefresh: true)
    #expect(stage.scene.tenant.counters.refreshes == 1)
  }

  @Test("If a reset ends the older tokens, the next call that needs a new one finds out, and sends the old one once")
  func expiredAfterReset() async throws {
    let stage = try await Stage()
    _ = try await stage.run(Self.journeys[1])
    await stage.scene.clock.advance(by: .seconds(4_000))
    for _ in 0..<2 {
      await expectError(ConnectorError.self, .interactionRequired) { try await stage.connector.accessToken() }
    }
    #expect(stage.scene.tenant.counters.refreshRequests == 1)
    let user = try #require(try await stage.connector.session.user)
    #expect(!user.hasSession)
    #expect(user.subject == stage.alice.user.subject)
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
    let (scene, asked) = (Scene(), Recorder<URL>())
    let presenter = CannedPresenter { request in
      asked.record(request.url)
      guard asked.values.count == 1 else { throw ConnectorError(own: .userClosedBrowser, "Closed.") }
      return "\(Scene.redirect)?error=access_denied&error_description=AADB2C90118%3a+Text.&state=\(request.state.value)"
    }
    let reset = try Policy(id: "B2C_1_ResetPassword", kind: .passwordReset)
    let connector = try scene.connector(scene.settings { $0.policies.others = [reset] }, presenter: presenter)
    await expectError(ConnectorError.self, .userClosedBrowser) {
      try await connector.signIn(
        options: SignInOptions(
          prompt: .login, domainHint: "facebook.com", extraParameters: ["campaignId": "x"],
          claimsRequest: #"{"id_token":{}}"#))
    }
    let queries = asked.values.map { query(of: $0) }
    for (name, value) in [
      ("domain_hint", "facebook.com"), ("prompt", "login"), ("campaignId", "x"), ("claims", #"{"id_token":{}}"#),
    ] {
      #expect(queries.map { $0[name] } == [value, nil])
    }
  }
}
