import B2CConnector
import Foundation
import Testing

// Only what an app has: the module's public API, and neither the test kit nor the tests' support.

/// An app's own protocol before the connector, with what its views need.
private protocol TaskSession: Sendable {
  var session: SessionState { get async throws }
  func doPolicy(_ kind: Policy.Kind, options: SignInOptions) async throws -> UserInfo
  func signIn(policy: Policy?, options: SignInOptions) async throws -> SignInResult
  func signInWithDeviceCode(
    scopes: [String]?, show: @Sendable (DeviceAuthorization) async throws -> Void
  ) async throws -> SignInResult
  func user(id: String) async throws -> UserInfo?
  func accessToken(
    scopes: [String]?, user: UserInfo?, forceRefresh: Bool, claims: String?
  ) async throws -> AccessToken
  func getTaskList(user: UserInfo?) async throws -> [TaskItem]
}

extension Connector: TaskSession {}

/// A session without a server, for previews and tests of an app.
private struct FakeSession: TaskSession {
  let user = UserInfo(
    id: "a71ce.c0de", claims: ["name": "Alice Example", "tfp": "B2C_1_SignIn"], policyID: "B2C_1_SignIn",
    hasSession: true)
  let log: @Sendable (Connector.Event) -> Void

  var session: SessionState { .signedIn(user) }

  func doPolicy(_ kind: Policy.Kind, options: SignInOptions) async throws -> UserInfo {
    guard kind == .signIn else { throw ConnectorError(.configuration, "The fake has none.") }
    log(Connector.Event(step: .signInFinished, policyID: user.policyID))
    return user
  }

  func signIn(policy: Policy?, options: SignInOptions) async throws -> SignInResult {
    SignInResult(user: user, accessToken: token, idToken: Secret("id"))
  }

  func signInWithDeviceCode(
    scopes: [String]?, show: @Sendable (DeviceAuthorization) async throws -> Void
  ) async throws -> SignInResult {
    let page = try #require(URL(string: "https://example.com/device"))
    try await show(DeviceAuthorization(userCode: "ABCD-1234", verificationURL: page, expiresAt: .distantFuture))
    return SignInResult(user: user)
  }

  func user(id: String) async throws -> UserInfo? { id == user.id ? user : nil }

  func accessToken(
    scopes: [String]?, user: UserInfo?, forceRefresh: Bool, claims: String?
  ) async throws -> AccessToken { token }

  func getTaskList(user: UserInfo?) async throws -> [TaskItem] { [TaskItem(itemName: "Buy milk")] }

  private var token: AccessToken {
    AccessToken(token: Secret("token"), scopes: ["read"], expiresAt: .distantFuture, userID: user.id)
  }
}

@Suite("An app's own protocol and fake")
struct FakeSessionTests {
  @Test("A fake returns everything that a connector returns")
  func fake() async throws {
    let events = AsyncStream.makeStream(of: Connector.Event.self)
    let fake: any TaskSession = FakeSession { events.continuation.yield($0) }
    let user = try await fake.doPolicy(.signIn, options: SignInOptions())
    #expect(user.name == "Alice Example" && user.policyID == "B2C_1_SignIn" && user.id == "a71ce.c0de")
    #expect(try await fake.session == .signedIn(user))
    events.continuation.finish()
    #expect(await events.stream.first { _ in true }?.step == .signInFinished)
    let result = try await fake.signIn(policy: nil, options: SignInOptions())
    #expect(result.user == user && result.user.hasSession && result.policy?.id == user.policyID)
    let token = try await fake.accessToken(scopes: nil, user: nil, forceRefresh: false, claims: nil)
    #expect(result.accessToken == token && token.token.value == "token")
    let byDevice = try await fake.signInWithDeviceCode(scopes: nil) { #expect($0.userCode == "ABCD-1234") }
    #expect(byDevice.user == user)
    #expect(try await fake.user(id: user.id)?.name == user.name)
    #expect(try await fake.getTaskList(user: result.user).map(\.itemName) == ["Buy milk"])
  }

  @Test("Users with different ids are different, and a fake's policy is not read from its claims")
  func userWithoutClaims() {
    let user = UserInfo(id: "alice")
    #expect(user != UserInfo(id: "bob") && user.id == "alice" && user.name == nil)
    #expect(UserInfo(id: "alice", claims: ["acr": "1", "tfp": "2"]).policyID == nil)
    #expect(UserInfo(id: "alice", policyID: "B2C_1_SignIn").policyID == "B2C_1_SignIn")
  }
}
