import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The state of the session, and the default policy that begins it.
@Suite("Session", .hangLimit)
struct ConnectorSessionTests {
  @Test("The session is signed out, signed in or expired, and reading it shows and sends nothing")
  func states() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    #expect(try await connector.session == .signedOut)
    #expect(presenter.requests.isEmpty && scene.network.requestCount == 0)
    let user = try await connector.doPolicy(.signIn)
    let before = scene.network.requestCount
    #expect(try await connector.session == .signedIn(user))
    #expect(scene.network.requestCount == before)
    scene.tenant.revokeGrants()
    await scene.expire()
    #expect(try await connector.session == .signedIn(user))
    await expectError(ConnectorError.self, .interactionRequired) { try await connector.getTaskList() }
    #expect(try await connector.session == .expired(user.expired))
    #expect(try await connector.users().map(\.hasSession) == [false])
    try await connector.signOut()
    #expect(try await connector.session == .signedOut)
    #expect(presenter.requests.count == 1)
  }

  @Test("A session is expired when both tokens have expired, and the next call still asks the provider")
  func expiredRefreshToken() async throws {
    let scene = Scene { $0.changeTokenAnswer = { $0["refresh_token_expires_in"] = 5_000 } }
    let stage = try await SignedInScene(scene, after: 4_999)
    #expect(try await stage.connector.session == .signedIn(stage.alice.user))
    await scene.clock.advance(by: .seconds(1))
    #expect(try await stage.connector.session == .expired(stage.alice.user.expired))
    #expect(try await stage.connector.users().first?.hasSession == false)
    // This device's clock may be wrong.
    _ = try await stage.connector.accessToken()
    #expect(try await stage.connector.session.user?.hasSession == true)
  }

  typealias Default = (policies: [Policy.Kind], selected: Policy.Kind?, expected: Policy.Kind?)

  static let defaults: [Default] = [
    ([.signIn], .signUpOrSignIn, .signUpOrSignIn), ([.signIn], .federatedSignIn, .federatedSignIn),
    ([.signIn, .federatedSignIn], nil, .signIn), ([.federatedSignIn, .signUpOrSignIn], nil, .signUpOrSignIn),
    // A policy that edits a profile or resets a password signs nobody in.
    ([.signIn], .profileEdit, .signIn), ([.federatedSignIn], .passwordReset, .federatedSignIn),
    ([.profileEdit, .passwordReset, .federatedSignIn], nil, .federatedSignIn),
    ([.profileEdit, .signUp], .passwordReset, .signUp), ([.profileEdit, .passwordReset], nil, nil),
    ([], .passwordReset, nil),
  ]

  @Test("Every call has the same default policy, which signs users in", arguments: defaults)
  func oneDefault(_ row: Default) async throws {
    func policy(_ kind: Policy.Kind) throws -> Policy { try Policy(id: "B2C_1_" + kind.rawValue, kind: kind) }
    let scene = Scene(policies: Policy.Kind.allCases.map { LocalPolicy("B2C_1_" + $0.rawValue, .signUpOrSignIn) })
    let settings = try scene.settings {
      $0.policies = .init(others: try row.policies.map(policy), selected: try row.selected.map(policy))
    }
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(settings, presenter: presenter)
    if let expected = try row.expected.map(policy) {
      #expect(try await connector.signIn().user.policyID == expected.id)
      #expect(try await connector.fetchUserInfo().policyID == expected.id)
      #expect(try await connector.doPolicy(.signIn).policyID == expected.id)
    } else {
      await expectError(ConnectorError.self, .configuration, saying: "name no policy") {
        try await connector.doPolicy(.signIn)
      }
      await expectError(ConnectorError.self, .configuration) { try await connector.signIn() }
      #expect(presenter.requests.isEmpty)
    }
  }

  @Test("If the settings name no policy, the one in the authority's URL is the default")
  func authorityDefault() async throws {
    let scene = Scene()
    let connector = try scene.connector(scene.settings(form: .path) { $0.policies = .init() })
    #expect(try await connector.doPolicy(.signIn).policyID == "B2C_1_SignIn")
    #expect(try await connector.signIn().user.policyID == "B2C_1_SignIn")
  }
}
