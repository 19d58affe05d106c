import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension MessageTests {
  typealias Call = @Sendable (Scene) async throws -> Void

  struct Oops: Error {}

  static let calls: [String: Call] = ofTheApp.merging(atTheServers) { first, _ in first }

  private static let ofTheApp: [String: Call] = [
    "allowed API over http": { scene in
      let api = try url("http://api.example/x")
      _ = try scene.connector { $0.allowedAPIs = [api] }
    },
    "policy at a host that Azure AD B2C has left": { scene in
      let authority = try Authority("https://login.microsoftonline.com/contoso.onmicrosoft.com/")
      _ = try scene.connector(scene.settings { $0.authority = authority })
    },
    "policy id with a space": { _ in _ = try Policy("B2C_1_a b") },
    "kind of policy that the settings do not name": { scene in try await scene.connector().doPolicy(.profileEdit) },
    "sign-in without a policy": { scene in
      try await scene.connector(scene.settings { $0.policies = .init() }).signIn()
    },
    "presenter of another redirect URI": { scene in _ = try scene.connector(presenter: LoopbackPresenter { _ in }) },
    "presenter and a scheme without a dot": { _ in
      try LoopbackPresenter { _ in }.validate(redirectURI: try url("myapp:/x"))
    },
    "presenter and a loopback redirect": { _ in
      try ExternalBrowserPresenter { _ in }.validate(redirectURI: try url("http://localhost/x"))
    },
    "presenter and an https redirect": { _ in
      try LoopbackPresenter { _ in }.validate(redirectURI: try url("https://app.example.com/x"))
    },
    "presenter and a redirect that leads nowhere": { _ in
      try LoopbackPresenter { _ in }.validate(redirectURI: try url("http://app.example.com/"))
    },
    "reserved parameter": { scene in
      try await scene.connector().signIn(options: SignInOptions(extraParameters: ["state": "x"]))
    },
    "claims request that is not JSON": { scene in _ = try await scene.signedIn().accessToken(claims: "mfa") },
    "device code at Azure AD B2C": { scene in try await scene.connector().signInWithDeviceCode { _ in } },
    "token without an API's scope": { scene in
      _ = try await scene.connector(scene.settings { $0.scopes = ["openid"] }).accessToken()
    },
    "no user": { scene in _ = try await scene.connector().accessToken() },
    "unknown user": { scene in _ = try await scene.connector().accessToken(user: UserInfo(id: "nobody")) },
    "no task API": { scene in _ = try await scene.connector(scene.settings { $0.taskWebAPI = nil }).getTaskList() },
    "process that must not refresh": { scene in
      _ = try await scene.signedIn(after: 4_000) { $0.refreshesTokens = false }.accessToken()
    },
    "user who does not agree": { scene in
      _ = try await scene.signedIn(after: 4_000) { $0.beforeRefresh = { _ in throw Oops() } }.accessToken()
    },
    "no refresh token": { scene in
      scene.tenant.behavior.changeTokenAnswer = { $0["refresh_token"] = nil }
      _ = try await scene.signedIn(after: 4_000).accessToken()
    },
    "session that has ended": { scene in
      let connector = try await scene.signedIn(after: 4_000)
      scene.transport.answerTokens(400, #"{"error":"invalid_grant","suberror":"bad_token"}"#)
      _ = try? await connector.accessToken()
      _ = try await connector.accessToken()
    },
    "user who signs out meanwhile": { scene in
      let connector = try await scene.signedIn(after: 4_000)
      scene.transport.intercept { [cache = scene.cache] request in
        for key in request.isTokenRequest ? try await cache.keys() : [] { try await cache.removeRecord(for: key) }
        return nil
      }
      _ = try await connector.accessToken()
    },
    "foreign origin": { scene in
      _ = try await scene.connector().data(for: URLRequest(url: try url("https://evil.example/")))
    },
    "body of a GET": { scene in
      var request = URLRequest(url: scene.tasks.url)
      request.httpBody = Data("x".utf8)
      _ = try await scene.signedIn().data(for: request)
    },
    "body that is a stream": { scene in
      var request = URLRequest(url: scene.tasks.url)
      request.httpMethod = "POST"
      request.httpBodyStream = InputStream(data: Data("x".utf8))
      _ = try await scene.signedIn().data(for: request)
    },
    "task without a title": { scene in try await scene.signedIn().addTask(TaskItem(itemName: "")) },
    "long title": { scene in
      try await scene.signedIn().addTask(TaskItem(itemName: String(repeating: "x", count: 65_537)))
    },
    "number that is not finite": { scene in
      var item = TaskItem(itemName: "x", serverID: "1")
      item.unknownFields["x"] = .number(.infinity)
      try await scene.signedIn().updateTask(item)
    },
    "update of a task without an id": { scene in try await scene.signedIn().updateTask(TaskItem(itemName: "x")) },
    "id that is no part of a URL": { scene in
      try await scene.signedIn().updateTask(TaskItem(itemName: "x", serverID: "."))
    },
    "deletion of a task without a title": { scene in try await scene.signedIn().deleteTask(TaskItem(itemName: "")) },
    "task API over http": { _ in _ = try TaskAPIClient(baseURL: try url("http://api.example/tasks")) { "" } },
    "part of the app that throws": { scene in
      try await scene.connector(presenter: CannedPresenter { _ in throw Oops() }).signIn()
    },
    "cache that throws": { scene in
      let cache = FailingCache()
      cache.readFailure.withLock { $0 = { _ in Oops() } }
      _ = try await scene.connector(cache: cache).user(id: "x")
    },
    "cache at an https URL": { _ in _ = try StoredTokenCache.files(at: try url("https://contoso.example/tokens")) },
    "short key of a cache": { _ in
      _ = try StoredTokenCache.files(at: URL(filePath: "/nowhere"), sealedWith: Data(count: 16))
    },
    "browser that the user closed": { scene in
      try await scene.connector(presenter: scene.script(.closeBrowser)).signIn()
    },
    "another user than the one that was asked for": { scene in
      var options = SignInOptions()
      options.user = UserInfo(id: "nobody")
      try await scene.connector().signIn(options: options)
    },
    "another user than the settings'": { scene in
      try await scene.connector(scene.settings { $0.userID = LocalUser.bob.email }).signIn()
    },
    "user without an address": { scene in
      scene.tenant.behavior.changeIDTokenClaims = { $0["emails"] = [] }
      try await scene.connector(scene.settings { $0.userID = LocalUser.alice.email }).signIn()
    },
    "sign-in that began with other settings": { scene in
      let pending = try await scene.connector().beginSignIn()
      let other = try scene.connector(scene.settings { $0.clientID = UUID().uuidString })
      try await other.finishSignIn(pending, callback: try url(Scene.redirect))
    },
    "sign-in that began long ago": { scene in
      let connector = try scene.connector()
      let pending = try await connector.beginSignIn()
      await scene.clock.advance(by: .seconds(3_601))
      try await connector.finishSignIn(pending, callback: try url(Scene.redirect))
    },
  ]
}
