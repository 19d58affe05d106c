import B2CConnector
import B2CTestKit
import Foundation
import TestSupport

/// Everything that an app does with a provider, through the public API.
///
/// Each printed line was checked.
struct Tour: Sendable {
  let scene: Scene
  let person: Person
  let callbacks = Locked<[Set<String>]>([])
  let transport = GatedTransport(URLSessionTransport())
  /// The seconds by which the SDK's wall clock is ahead, so that a token expires without waiting.
  let ahead = Locked(0.0)
  let allHeld = Locked(true)

  init(_ scene: Scene) {
    self.scene = scene
    person = Person(address: scene.person)
  }

  func run() async throws -> Bool {
    let connector = try makeConnector()
    try await discovery(connector)
    if scene.asksForConsent { try await refusedConsent() }
    try await signIn(connector)
    try await silentTokens(connector)
    try await refresh(connector)
    try await expiry(connector)
    // If a session ends within seconds, the following steps would depend on luck.
    if scene.refreshOutlivesToken || scene.lifetime > 20 {
      try await laterLaunch()
      try await replacedRefreshToken(connector)
      try await revokedRefreshToken(connector)
    }
    try await signOut(connector)
    return allHeld.withLock { $0 }
  }

  private func makeConnector(consents: Bool = true) throws -> Connector {
    var environment = Connector.Environment()
    environment.cache = try cache()
    environment.transport = transport
    environment.presenter = NotingPresenter(person, consents: consents, noting: callbacks)
    environment.setTime { [ahead] in Date().addingTimeInterval(ahead.withLock { $0 }) }
    let settings = ConnectorSettings(
      authority: try Authority(scene.issuer, kind: .openIDConnect), clientID: scene.clientID, scopes: scene.scopes,
      redirectURI: scene.redirectURI)
    return try Connector(settings: settings, environment: environment) { $0.allowedAPIs = [scene.userInfo] }
  }

  private func cache() throws -> StoredTokenCache { try .files(at: URL(fileURLWithPath: scene.folder)) }

  private func record() async throws -> (TokenCacheKey, TokenRecord) {
    for key in try await cache().keys() {
      if let record = try await cache().record(for: key) { return (key, record) }
    }
    throw Failure("The cache holds no record.")
  }

  // MARK: Checks

  private func check(_ rule: String, _ holds: Bool, _ detail: String) {
    if !holds { allHeld.withLock { $0 = false } }
    emit(holds ? "  ok      \(rule)" : "  FAILED  \(rule): \(detail)")
  }

  private func note(_ subject: String, _ detail: String) { emit("  note    \(subject): \(detail)") }

  /// Checks how often the user types a password during an operation.
  private func check(_ rule: String, passwords count: Int, _ operation: () async throws -> some Sendable) async throws {
    let before = try await person.passwords()
    _ = try await operation()
    let more = try await person.passwords() - before
    check(rule, more == count, "\(more)")
  }

  private func check<Value>(
    _ rule: String, tokenRequests count: Int, _ operation: () async throws -> Value
  ) async throws -> Value {
    let before = transport.tokenForms.count
    let value = try await operation()
    let more = transport.tokenForms.count - before
    check(rule, more == count, "\(more)")
    return value
  }

  private func check(
    _ rule: String, fails wanted: String..., by operation: () async throws -> some Sendable
  ) async {
    let code = await failure(operation)
    check(rule, wanted.contains(code ?? ""), code ?? "no error")
  }

  /// Returns the code of the error that an operation throws, or `nil` if it throws none.
  private func failure(_ operation: () async throws -> some Sendable) async -> String? {
    do {
      _ = try await operation()
      return nil
    } catch {
      return (error as? ConnectorError)?.code.rawValue ?? "\(type(of: error))"
    }
  }
}

extension Tour {
  private func discovery(_ connector: Connector) async throws {
    let failed = try await connector.diagnose().findings.filter { $0.outcome == .failed }
    let details = failed.map { "\($0.check): \($0.detail)" }.joined(separator: "; ")
    check("discovery and diagnosis find nothing to fix", failed.isEmpty, details)
  }

  private func refusedConsent() async throws {
    let connector = try makeConnector(consents: false)
    await check("refused consent is \(scene.consentRefusal)", fails: scene.consentRefusal) {
      try await connector.signIn()
    }
  }

  private func signIn(_ connector: Connector) async throws {
    let result = try await check("one token request", tokenRequests: 1) { try await connector.signIn() }
    let claims = result.user.claims
    check("sign-in: the user's name", claims["email"]?.string == scene.user.email, "\(claims.keys.sorted())")
    let header = result.idToken?.value.split(separator: ".").first.flatMap { Base64URL.decode(String($0)) }
    let alg = try header.flatMap { try JSONDecoder().decode(JSONValue.self, from: $0).object }?["alg"]?.string
    check("id_token verified, signed with \(scene.alg)", alg == scene.alg, alg ?? "no header")
    let named = callbacks.withLock { $0.last?.contains("iss") ?? false }
    check("the callback names the issuer: \(scene.iss)", named == scene.iss, "\(named)")
  }

  private func silentTokens(_ connector: Connector) async throws {
    let isSame = try await check("silent token: no request", tokenRequests: 0) {
      let first = try await connector.accessToken()
      return try await connector.accessToken() == first
    }
    check("silent token: the cached one", isSame, "another")
    let (body, response) = try await connector.data(for: URLRequest(url: scene.userInfo))
    let fields = try JSONDecoder().decode(JSONValue.self, from: body).object ?? [:]
    guard case .signedIn(let user) = try await connector.session else { throw Failure("No user is signed in.") }
    let isTaken = response.statusCode == 200 && fields["sub"]?.string == user.subject
    check("the API takes the token", isTaken, "status \(response.statusCode)")
  }

  private func refresh(_ connector: Connector) async throws {
    let old = try await record().1.refreshToken
    let token = try await connector.accessToken().token
    let renewed = try await check("forced refresh: one token request", tokenRequests: 1) {
      try await connector.accessToken(forceRefresh: true).token
    }
    let rotates = try await record().1.refreshToken != old
    if renewed == token { note("the access token of the refresh", "the same text as before") }
    check("the refresh token rotates: \(scene.rotates)", rotates == scene.rotates, rotates ? "another" : "the same")
    ahead.withLock { $0 += scene.lifetime }
    let tokens = try await check("an expired token, 50 callers: one refresh", tokenRequests: 1) {
      Set(try await simultaneously(50) { _ in try await connector.accessToken().token })
    }
    check("all of them get the same token", tokens.count == 1, "\(tokens.count)")
  }

  /// Checks the server's own idea of expiry, if tokens live for seconds.
  private func expiry(_ connector: Connector) async throws {
    guard scene.lifetime <= 20 else { return }
    let token = try await connector.accessToken().token
    var request = URLRequest(url: scene.userInfo)
    request.setValue("Bearer \(token.value)", forHTTPHeaderField: "Authorization")
    var status = 200
    for _ in 0..<600 where status == 200 {
      status = try await URLSessionTransport().send(request, limits: .standard).1.statusCode
      if status == 200 { try await Task.sleep(for: .milliseconds(50)) }
    }
    check("the API refuses the expired token", status == 401, "status \(status)")
    guard scene.refreshOutlivesToken else {
      // Either the refresh token has ended too, or the new access token has the text of one that was replaced.
      await check(
        "the refresh token ended with it, the next call is refused", fails: "interactionRequired", "unauthorized"
      ) { try await connector.data(for: URLRequest(url: scene.userInfo)).0 }
      return try await signInAgain(connector)
    }
    let (_, response) = try await connector.data(for: URLRequest(url: scene.userInfo))
    check("the next call brings a new one by itself", response.statusCode == 200, "\(response.statusCode)")
  }

  private func signInAgain(_ connector: Connector) async throws {
    try await check("the next sign-in needs no password: single sign-on", passwords: 0) { try await connector.signIn() }
  }

  /// Uses another client over the same files, as after a launch.
  private func laterLaunch() async throws {
    try await check("after a launch: a token without a page", passwords: 0) { try await makeConnector().accessToken() }
  }

  /// Uses a refresh token again that was replaced, as a restored backup of the cache does.
  private func replacedRefreshToken(_ connector: Connector) async throws {
    guard scene.rotates else { return }
    let (key, old) = try await record()
    _ = try await connector.accessToken(forceRefresh: true)
    try await cache().store(old, for: key)
    if scene.refusesReuse {
      await check("a replaced refresh token: interactionRequired", fails: "interactionRequired") {
        try await connector.accessToken(forceRefresh: true)
      }
    } else {
      let code = await failure { try await connector.accessToken(forceRefresh: true) }
      note("a replaced refresh token", code ?? "still accepted by this configuration")
    }
    try await signInAgain(connector)
  }

  private func revokedRefreshToken(_ connector: Connector) async throws {
    guard let revocation = scene.revocation, let refreshToken = try await record().1.refreshToken else { return }
    let request = URLRequest(
      method: "POST", url: revocation, headers: ["Content-Type": "application/x-www-form-urlencoded"],
      body: Data("token=\(refreshToken.value)&token_type_hint=refresh_token&client_id=\(scene.clientID)".utf8))
    let status = try await URLSessionTransport().send(request, limits: .standard).1.statusCode
    guard status == 200 else { return note("revocation", "status \(status) for a public client") }
    await check("a revoked refresh token: interactionRequired", fails: "interactionRequired") {
      try await connector.accessToken(forceRefresh: true)
    }
    let session = try await connector.session
    var isExpired = false
    if case .expired = session { isExpired = true }
    check("the session is expired, the user known", isExpired, "\(session)")
    try await connector.signIn()
  }

  private func signOut(_ connector: Connector) async throws {
    let before = callbacks.withLock { $0.count }
    let code = await failure {
      try await connector.signOut(endsBrowserSession: scene.endsSessions, sendsIDTokenHint: true)
    }
    check("sign-out", code == nil, code ?? "")
    let left = try await connector.users()
    check("nothing is left in the cache", left.isEmpty, "\(left.count) users")
    guard scene.endsSessions else { return }
    let returned = callbacks.withLock { $0.count } - before
    note("the browser after the sign-out", returned == 1 ? "came back" : "stayed at the provider")
    if let wanted = scene.silentRefusal {
      var silent = SignInOptions()
      silent.prompt = .none
      await check("the server's session has ended: prompt=none is \(wanted)", fails: wanted) { [silent] in
        try await connector.signIn(options: silent)
      }
    }
    try await check("the next sign-in asks for the password", passwords: 1) { try await connector.signIn() }
    try await connector.signOut()
  }
}
