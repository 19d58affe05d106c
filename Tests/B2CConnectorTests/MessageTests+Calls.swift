import B2CConnector
import B2CTestKit
import Foundation
import TestSupport

extension MessageTests {
  typealias Call = @Sendable (Scene) async throws -> Void
  typealias ConnectorCall = @Sendable (Connector) async throws -> Void

  struct Oops: Error {}

  private static let task = TaskItem(itemName: "x", serverID: "1")
  private static let refresh: ConnectorCall = { _ = try await $0.accessToken(forceRefresh: true) }

  static let calls: [String: Call] = ofTheApp.merging(atTheServers) { first, _ in first }

  // MARK: Calls that the SDK refuses itself

  /// Makes a call with settings that were changed so.
  private static func settings(
    _ change: @escaping @Sendable (inout ConnectorSettings) throws -> Void,
    _ call: @escaping ConnectorCall = { try await $0.signIn() }
  ) -> Call {
    { scene in try await call(scene.connector(scene.settings(change))) }
  }

  /// Makes a call for a user who has signed in.
  private static func signedIn(
    after seconds: Int = 0, configure: @escaping @Sendable (inout Connector.Options) -> Void = { _ in },
    _ call: @escaping ConnectorCall
  ) -> Call {
    { scene in try await call(scene.signedIn(after: seconds, configure: configure)) }
  }

  private static func presenter(_ presenter: any SignInPresenter, _ redirectURI: String) -> Call {
    { _ in try presenter.validate(redirectURI: try url(redirectURI)) }
  }

  private static func request(_ change: @escaping @Sendable (inout URLRequest) -> Void) -> Call {
    { scene in
      var request = URLRequest(url: scene.tasks.url)
      change(&request)
      _ = try await scene.signedIn().data(for: request)
    }
  }

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
    "kind of policy that the settings do not name": { try await $0.connector().doPolicy(.profileEdit) },
    "sign-in without a policy": settings { $0.policies = .init() },
    "presenter of another redirect URI": { _ = try $0.connector(presenter: LoopbackPresenter { _ in }) },
    "presenter and a scheme without a dot": presenter(LoopbackPresenter { _ in }, "myapp:/x"),
    "presenter and a loopback redirect": presenter(ExternalBrowserPresenter { _ in }, "http://localhost/x"),
    "presenter and an https redirect": presenter(LoopbackPresenter { _ in }, "https://app.example.com/x"),
    "presenter and a redirect that leads nowhere": presenter(LoopbackPresenter { _ in }, "http://app.example.com/"),
    "reserved parameter": { try await $0.connector().signIn(options: SignInOptions(extraParameters: ["state": "x"])) },
    "claims request that is not JSON": signedIn { _ = try await $0.accessToken(claims: "mfa") },
    "device code at Azure AD B2C": { try await $0.connector().signInWithDeviceCode { _ in } },
    "token without an API's scope": settings({ $0.scopes = ["openid"] }) { _ = try await $0.accessToken() },
    "no user": { _ = try await $0.connector().accessToken() },
    "unknown user": { _ = try await $0.connector().accessToken(user: UserInfo(id: "nobody")) },
    "no task API": settings({ $0.taskWebAPI = nil }) { _ = try await $0.getTaskList() },
    "process that must not refresh": signedIn(after: 4_000, configure: { $0.refreshesTokens = false }) {
      _ = try await $0.accessToken()
    },
    "user who does not agree": signedIn(after: 4_000, configure: { $0.beforeRefresh = { _ in throw Oops() } }) {
      _ = try await $0.accessToken()
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
    "foreign origin": { _ = try await $0.connector().data(for: URLRequest(url: try url("https://evil.example/"))) },
    "body of a GET": request { $0.httpBody = Data("x".utf8) },
    "body that is a stream": request {
      $0.httpMethod = "POST"
      $0.httpBodyStream = InputStream(data: Data("x".utf8))
    },
    "task without a title": signedIn { try await $0.addTask(TaskItem(itemName: "")) },
    "long title": signedIn { try await $0.addTask(TaskItem(itemName: String(repeating: "x", count: 65_537))) },
    "number that is not finite": signedIn {
      var item = task
      item.unknownFields["x"] = .number(.infinity)
      try await $0.updateTask(item)
    },
    "update of a task without an id": signedIn { try await $0.updateTask(TaskItem(itemName: "x")) },
    "id that is no part of a URL": signedIn { try await $0.updateTask(TaskItem(itemName: "x", serverID: ".")) },
    "deletion of a task without a title": signedIn { try await $0.deleteTask(TaskItem(itemName: "")) },
    "task API over http": { _ in _ = try TaskAPIClient(baseURL: try url("http://api.example/tasks")) { "" } },
    "part of the app that throws": {
      try await $0.connector(presenter: CannedPresenter { _ in throw Oops() }).signIn()
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
    "browser that cannot be opened": callback { _ in throw ConnectorError(own: .presentationFailed, "No browser.") },
    "browser that the user closed": { try await $0.connector(presenter: $0.script(.closeBrowser)).signIn() },
    "another user than the one that was asked for": { scene in
      var options = SignInOptions()
      options.user = UserInfo(id: "nobody")
      try await scene.connector().signIn(options: options)
    },
    "another user than the settings'": settings { $0.userID = LocalUser.bob.email },
    "user without an address": { scene in
      scene.tenant.behavior.changeIDTokenClaims = { $0["emails"] = [] }
      try await settings { $0.userID = LocalUser.alice.email }(scene)
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

  // MARK: Responses

  /// Makes a call that gets the response of a row.
  static func call(answered response: String) throws -> Call {
    let parts = response.split(separator: " ", maxSplits: 2).map(String.init)
    if let status = Int(parts[1]) {
      let text = parts.count == 3 ? parts[2] : ""
      let answer = LocalResponse(status: status, body: Data(text.utf8))
      switch parts[0] {
      case "api": return api(status, text)
      case "userinfo": return userInfo(answer)
      case "metadata": return faulty(LocalFault(on: .metadata, .respond(answer)))
      case "keys": return faulty(LocalFault(on: .keys, .respond(answer)))
      default: return faulty(LocalFault(on: .token, .respond(answer)))
      }
    }
    let json = Data(response.dropFirst(parts[0].count).utf8)
    let fields = try JSONDecoder().decode(RefreshRow.Claims.self, from: json)
    return behaving { behavior in
      switch parts[0] {
      case "claims": behavior.changeIDTokenClaims = { $0.set(fields) }
      case "header": behavior.changeIDTokenHeader { $0.set(fields) }
      case "document": behavior.changeMetadata = { $0.set(fields) }
      default: behavior.changeTokenAnswer = { $0.set(fields) }
      }
    }
  }

  private static func faulty(_ fault: LocalFault) -> Call {
    { scene in
      scene.tenant.faults = [fault]
      try await scene.connector { $0.retry = .none }.signIn()
    }
  }

  private static func callback(_ answer: @escaping @Sendable (PresentationRequest) throws -> String) -> Call {
    { try await $0.connector(presenter: CannedPresenter(answer)).signIn() }
  }

  /// Makes a call at a tenant that behaves so.
  private static func behaving(
    _ change: @escaping @Sendable (inout LocalTenant.Behavior) -> Void,
    _ call: @escaping ConnectorCall = { try await $0.signIn() }
  ) -> Call {
    { scene in
      change(&scene.tenant.behavior)
      try await call(scene.connector())
    }
  }

  /// Makes a call at an issuer whose metadata lack an endpoint.
  private static func without(_ endpoint: String, _ call: @escaping ConnectorCall) -> Call {
    behaving({ $0.changeMetadata = { $0[endpoint] = nil } }, call)
  }

  private static func idToken(_ text: String) -> Call {
    behaving { $0.changeTokenAnswer = { $0["id_token"] = .string(text) } }
  }

  /// Refreshes after something was done to the scene.
  private static func refreshing(_ prepare: @escaping @Sendable (Scene) -> Void) -> Call {
    { scene in
      let connector = try await scene.signedIn()
      prepare(scene)
      try await refresh(connector)
    }
  }

  private static let withoutAccessToken: Call = { scene in
    scene.tenant.behavior.changeTokenAnswer = { $0["access_token"] = nil }
    try await refresh(scene.signedIn())
  }

  private static func userInfo(_ answer: LocalResponse) -> Call {
    { scene in
      let connector = try await scene.signedIn()
      scene.tenant.faults = [LocalFault(on: .path("/userinfo"), .respond(answer))]
      _ = try await connector.fetchUserInfo()
    }
  }

  /// Makes a call, by default for the list of tasks, to an API that answers with a challenge or a body.
  private static func api(
    _ status: Int, _ text: String = "", times: Int = 1,
    _ call: @escaping ConnectorCall = { _ = try await $0.getTaskList() }
  ) -> Call {
    { scene in
      let connector = try await scene.signedIn(after: 120) { $0.retry = .none }
      let headers = text.hasPrefix("Bearer ") ? ["WWW-Authenticate": text] : [:]
      let answer = LocalResponse(status: status, headers: headers, body: Data(text.utf8))
      scene.tasks.faults = [LocalFault(.respond(answer))]
      for _ in 1..<times { try? await call(connector) }
      try await call(connector)
    }
  }

  private static let atTheServers: [String: Call] = [
    "callback to another address": callback { _ in "https://evil.example/" },
    "callback with another state": callback { _ in Scene.redirect + "?code=x&state=y" },
    "callback without a code": callback { "\(Scene.redirect)?state=\($0.state.value)" },
    "callback with two codes": callback { "\(Scene.redirect)?code=x&code=y&state=\($0.state.value)" },
    "callback of another sign-in": faulty(.callback("state", "x")),
    "callback of a cancelled page": { try await $0.connector(presenter: $0.script(.cancel)).signIn() },
    "device that is offline": { scene in
      scene.transport.intercept { _ in throw URLError(.cannotConnectToHost) }
      try await scene.connector { $0.retry = .none }.signIn()
    },
    "lost token response": faulty(LocalFault(on: .token, .reset)),
    "damaged signature": behaving { $0.signIDTokens(.damaged) },
    "no access token": withoutAccessToken,
    "policy that is gone": refreshing { $0.transport.answerTokens(404, "") },
    "refresh of another user": refreshing {
      $0.tenant.behavior.changeIDTokenClaims = { $0["oid"] = .string(LocalUser.bob.id) }
    },
    "issuer: callback of another sign-in": faulty(.callback("state", "x")),
    "issuer: callback without iss": faulty(.callback("iss", nil)),
    "issuer: callback of another issuer": faulty(.callback("iss", "https://evil.example")),
    "issuer: key for encryption": behaving {
      $0.changeKeys = { for index in $0.indices { $0[index]["use"] = "enc" } }
    },
    "issuer: long id_token": idToken(String(repeating: "x", count: 150_000) + ".e30.AA"),
    "issuer: header with a key twice": idToken(Base64URL.encode(#"{"alg":"RS256","alg":"RS256"}"#.utf8) + ".e30.AA"),
    "issuer: unsigned id_token": behaving { $0.signIDTokens(.unsigned) },
    "issuer: damaged signature": behaving { $0.signIDTokens(.damaged) },
    "issuer: id_token for two clients": behaving {
      $0.changeIDTokenClaims = { ($0["azp"], $0["aud"]) = ($0["aud"], [$0["aud"] ?? .null, "other"]) }
    },
    "issuer: no access token": withoutAccessToken,
    "issuer: address that is not verified": { scene in
      scene.tenant.behavior.changeIDTokenClaims = { $0["email_verified"] = false }
      try await settings { $0.userID = LocalUser.alice.email }(scene)
    },
    "issuer: no device codes": without("device_authorization_endpoint") {
      try await $0.signInWithDeviceCode { _ in }
    },
    "issuer: no sign-out page": without("end_session_endpoint") { try await $0.signOut(endsBrowserSession: true) },
    "issuer: nobody signed in": { _ = try await $0.connector().getTaskList() },
    "issuer: API refuses the token once more": api(401, #"Bearer error="invalid_token""#, times: 2),
    "issuer: API answers 404 to an update": api(404) { try await $0.updateTask(task) },
    "issuer: API answers 404 to a deletion": api(404) { try await $0.deleteTask(task) },
  ]
}
