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
  func accessToken(scopes: [String]?, user: UserInfo?, forceRefresh: Bool, claims: String?) async throws -> AccessToken
  func getTaskList(user: UserInfo?) async throws -> [TaskItem]
}

extension Connector: TaskSession {}

@Suite("An app's own protocol and fake")
struct FakeSessionTests {
  @Test("A fake can make everything that a connector returns")
  func values() throws {
    let user = UserInfo(
      id: "a71ce.c0de", claims: ["name": "Alice Example"], policyID: "B2C_1_SignIn", hasSession: true)
    #expect(user.id == "a71ce.c0de" && user.name == "Alice Example" && user.policyID == "B2C_1_SignIn")
    let token = AccessToken(token: Secret("token"), scopes: ["read"], expiresAt: .distantFuture, userID: user.id)
    let result = SignInResult(user: user, accessToken: token, idToken: Secret("id"))
    #expect(result.user == user && result.user.hasSession && result.policy?.id == user.policyID)
    #expect(result.accessToken == token && result.accessToken?.token.value == "token")
    let page = try #require(URL(string: "https://example.com/device"))
    let code = DeviceAuthorization(userCode: "ABCD-1234", verificationURL: page, expiresAt: .distantFuture)
    #expect(code.userCode == "ABCD-1234" && code.verificationURL == page)
    let event = Connector.Event(step: .signInFinished, policyID: user.policyID)
    #expect(event.step == .signInFinished && event.policyID == user.policyID)
    #expect(TaskItem(itemName: "Buy milk").itemName == "Buy milk")
  }

  @Test("Users with different ids are different, and a fake's policy is not read from its claims")
  func userWithoutClaims() {
    let user = UserInfo(id: "alice")
    #expect(user != UserInfo(id: "bob") && user.id == "alice" && user.name == nil)
    #expect(UserInfo(id: "alice", claims: ["acr": "1", "tfp": "2"]).policyID == nil)
  }
}
