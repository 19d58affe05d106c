import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("Policies that edit the profile or reset the password", .hangLimit)
struct UpdatingPolicyTests {
  static let kinds: [Policy.Kind] = [.profileEdit, .passwordReset]

  /// A user finishes the pages of a policy in a fresh browser, at a connector of the stage or another one.
  private func finish(
    _ kind: Policy.Kind, as user: LocalUser = .alice, _ stage: SignedInScene, at other: Connector? = nil
  ) async throws -> SignInResult {
    stage.presenter.clearCookies()
    if kind == .profileEdit {
      stage.presenter.follow(.signIn(user), .editProfile(displayName: "Renamed"))
    } else {
      stage.presenter.follow(.resetPassword(email: user.email, newPassword: "Another-1"))
    }
    let id = kind == .profileEdit ? "B2C_1_EditProfile" : "B2C_1_ResetPassword"
    return try await (other ?? stage.connector).signIn(policy: Policy(id: id, kind: kind))
  }

  @Test("Finished by a person who is not signed in here they return that person and store nothing", arguments: kinds)
  func anotherPerson(_ kind: Policy.Kind) async throws {
    let stage = try await SignedInScene(after: 0)
    let before = try await stage.scene.record()
    let result = try await finish(kind, as: .bob, stage)
    #expect(result.user.objectID == LocalUser.bob.id && !result.user.hasSession)
    #expect(try await stage.connector.session == .signedIn(stage.alice.user))
    #expect(try await stage.scene.cache.keys().count == 1)
    #expect(try await stage.scene.record() == before)
  }

  @Test("Finished by a user who is not current, they update that user's claims, and switch nobody", arguments: kinds)
  func anotherUser(_ kind: Policy.Kind) async throws {
    let stage = try await SignedInScene(after: 1)
    let (connector, alice, bob) = (stage.connector, stage.alice, try await stage.signIn(.bob))
    stage.scene.tenant.behavior.changeIDTokenClaims = { $0["jobTitle"] = "Baker" }
    #expect(try await finish(kind, stage).user.id == alice.user.id)
    #expect(try await connector.session == .signedIn(bob.user))
    let edited = try await stage.stored
    #expect(edited.claims["jobTitle"] == "Baker" && edited.policyID == Scene.signIn)
    #expect(try await connector.accessToken().token == bob.accessToken?.token)
    #expect(try await connector.accessToken(user: alice.user).token == alice.accessToken?.token)
    #expect(try await stage.scene.cache.keys().count == 2)
  }

  @Test("If another user is required, they fail with wrongUser", arguments: kinds)
  func requiredUser(_ kind: Policy.Kind) async throws {
    let stage = try await SignedInScene(after: 0)
    let strict = try stage.other(userID: LocalUser.alice.email)
    await expectError(ConnectorError.self, .wrongUser) { try await finish(kind, as: .bob, stage, at: strict) }
    #expect(try await strict.session.user?.id == stage.alice.user.id)
  }

  @Test(
    "Finished by the current user, they keep the session as it was, without a request for a token", arguments: kinds)
  func samePerson(_ kind: Policy.Kind) async throws {
    let stage = try await SignedInScene(after: 0)
    // A token endpoint that is down ends nothing.
    stage.scene.transport.answerTokens(503, "", grant: "refresh_token")
    #expect(try await finish(kind, stage).user.id == stage.alice.user.id)
    #expect(try await stage.connector.accessToken().token == stage.alice.accessToken?.token)
    #expect(stage.scene.transport.tokenForms.allSatisfy { $0["grant_type"] == "authorization_code" })
    #expect(try await stage.scene.cache.keys().count == 1)
    let user = try #require(try await stage.connector.session.user)
    #expect(user.hasSession && user.policyID == Scene.signIn)
    #expect(user.name == (kind == .profileEdit ? "Renamed" : LocalUser.alice.displayName))
  }

  @Test("The claims of an edit replace those of the record one by one, and the claims of the next refresh replace all")
  func claims() async throws {
    // The issuer names the policy, so that a refresh after an edit could take it for another issuer.
    let scene = Scene { behavior in
      let issuer = { @Sendable (policy: String) in
        JSONValue.string("https://contoso.b2clogin.com/tfp/22222222-2222-4222-8222-222222222222/\(policy)/v2.0/")
      }
      behavior.changeMetadata = { metadata in
        let isSignIn = metadata["token_endpoint"]?.string?.contains("b2c_1_signin") == true
        metadata["issuer"] = issuer(isSignIn ? "b2c_1_signin" : "b2c_1_editprofile")
      }
      behavior.changeIDTokenClaims = { claims in
        let isEdit = claims["tfp"] == "B2C_1_EditProfile"
        claims["iss"] = issuer(isEdit ? "b2c_1_editprofile" : "b2c_1_signin")
        if isEdit { (claims["sub"], claims["emails"]) = ("of-the-edit", nil) }
      }
    }
    let stage = try await SignedInScene(scene, after: 0)
    let before = try await scene.record().claims
    _ = try await finish(.profileEdit, stage)
    let after = try await scene.record().claims
    for name in ["iss", "sub", "tfp", "exp", "iat", "nonce", "aud", "emails"] {
      #expect(after[name] == before[name], "\(name)")
    }
    #expect(after["name"] == "Renamed" && before["iss"]?.string?.contains("/b2c_1_signin/") == true)
    scene.tenant.behavior.changeIDTokenClaims = {
      ($0["iss"], $0["emails"], $0["jobTitle"]) = (before["iss"], nil, "Baker")
    }
    _ = try await stage.connector.accessToken(forceRefresh: true)
    let refreshed = try await scene.record().claims
    #expect(refreshed["jobTitle"] == "Baker" && refreshed["emails"] == nil)
    scene.expectRefreshes(1)
  }

  @Test("If a reset ends the older tokens, the next call that needs a new one finds out, and sends the old one once")
  func expiredAfterReset() async throws {
    let stage = try await SignedInScene(after: 0)
    _ = try await finish(.passwordReset, stage)
    await stage.scene.expire()
    for _ in 0..<2 {
      await expectError(ConnectorError.self, .interactionRequired) { try await stage.connector.accessToken() }
    }
    #expect(stage.scene.tenant.counters.refreshRequests == 1)
    #expect(try await stage.connector.session == .expired(stage.stored))
  }
}

@Suite("A policy that is renamed in the tenant", .hangLimit)
struct ConnectorRenamedPolicyTests {
  typealias Answer = (status: Int, type: String, body: String)

  static let answers: [Answer] = [
    (404, "text/plain; charset=utf-8", "The resource you are looking for has been removed."), (404, "text/plain", ""),
    (404, "text/html", "<title>404</title><h1>Not Found</h1>"),
    (404, "application/json", #"{"error":"not_found","message":"No such policy"}"#),
    (404, "application/json", #"{"error":"invalid_request","error_description":"AADB2C99999: Text."}"#),
    (400, "text/plain", "Bad Request"),
  ]

  private let scene = Scene(policies: ["B2C_1_SUSI", "B2C_1_SUSI2"].map { LocalPolicy($0, .signUpOrSignIn) })

  private func connector(_ policy: String) throws -> Connector {
    try scene.connector(scene.settings { $0.policies = .init(others: [try Policy(policy)]) })
  }

  /// Signs in, lets the token expire, and sends this response to every refresh.
  private func signedIn(before answer: Answer) async throws -> Connector {
    let connector = try connector("B2C_1_SUSI")
    try await connector.signIn()
    await scene.expire()
    let response = LocalResponse(
      status: answer.status, headers: ["Content-Type": answer.type], body: Data(answer.body.utf8))
    scene.tenant.faults = [LocalFault(on: .token, .respond(response))]
    return connector
  }

  @Test("One sign-in with the policy that the settings name now repairs the session", arguments: answers)
  func renamed(_ answer: Answer) async throws {
    _ = try await signedIn(before: answer)
    let updated = try connector("B2C_1_SUSI2")
    for _ in 0..<2 {
      let error = try await #require(throws: ConnectorError.self) { try await updated.accessToken() }
      #expect(error.code == .interactionRequired && error.needsInteraction && !error.isRetryable, "\(error)")
      #expect(error.message.contains("B2C_1_SUSI,") && error.recoverySuggestion?.contains("B2C_1_SUSI2") == true)
    }
    // A gateway may have sent this response, so nobody is signed out.
    #expect(try await updated.session.user?.hasSession == true)
    scene.tenant.faults = []
    try await updated.signIn()
    #expect(try await updated.users().map(\.policyID) == ["B2C_1_SUSI2"])
    _ = try await updated.accessToken(forceRefresh: true)
  }

  @Test("If the settings still name a policy that is gone, no sign-in helps, and no session ends", arguments: answers)
  func removed(_ answer: Answer) async throws {
    let connector = try await signedIn(before: answer)
    let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken() }
    // A 400 without an OAuth error may be a firewall's.
    #expect(error.code == (answer.status == 404 ? .configuration : .invalidResponse), "\(error)")
    #expect(!error.needsInteraction && error.message.contains("B2C_1_SUSI") == (answer.status == 404))
    #expect(try await connector.session.user?.hasSession == true)
  }
}
