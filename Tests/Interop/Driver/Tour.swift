import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Everything that an app does with a provider, through the public API.
///
/// Each printed line was checked.
struct Tour: Sendable {
  let scene: Scene
  let person: Person
  let callbacks = Callbacks()
  let transport = CountingTransport()
  /// The seconds by which the SDK's wall clock is ahead, so that a token expires without waiting.
  let ahead = Locked(0.0)
  let findings = Findings()

  init(_ scene: Scene) {
    self.scene = scene
    person = Person(address: scene.person)
  }

  /// Returns whether every check held.
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
      try await deadRefreshToken(connector)
    }
    try await signOut(connector)
    return await findings.allHeld
  }

  func makeConnector(clientID: String? = nil, consents: Bool = true) throws -> Connector {
    var environment = Connector.Environment()
    environment.cache = try StoredTokenCache.files(at: URL(fileURLWithPath: scene.folder))
    environment.transport = transport
    environment.presenter = person.presenter(consents: consents, noting: callbacks)
    environment.setTime { [ahead] in Date().addingTimeInterval(ahead.withLock { $0 }) }
    let settings = ConnectorSettings(
      authority: try Authority(scene.issuer, kind: .openIDConnect), clientID: clientID ?? scene.clientID,
      scopes: scene.scopes, redirectURI: scene.redirectURI)
    return try Connector(settings: settings, environment: environment) { $0.allowedAPIs = [scene.userInfo] }
  }

  /// Returns the code of the error that an operation throws, or `nil` if it throws none.
  func failure(_ operation: () async throws -> some Sendable) async -> String? {
    do {
      _ = try await operation()
      return nil
    } catch let error as ConnectorError {
      return error.code.rawValue
    } catch {
      return "\(type(of: error))"
    }
  }

  /// Checks how often the user types a password during an operation.
  func check(_ rule: String, passwords count: Int, _ operation: () async throws -> some Sendable) async throws {
    let before = try await person.passwords()
    _ = try await operation()
    let more = try await person.passwords() - before
    await findings.check(rule, more == count, "\(more)")
  }

  func record() async throws -> (TokenCacheKey, TokenRecord) {
    let cache = try StoredTokenCache.files(at: URL(fileURLWithPath: scene.folder))
    for key in try await cache.keys() {
      if let record = try await cache.record(for: key) { return (key, record) }
    }
    throw TourError("The cache holds no record.")
  }
}

extension Tour {
  private func discovery(_ connector: Connector) async throws {
    let diagnosis = try await connector.diagnose()
    let failed = diagnosis.findings.filter { $0.outcome == .failed }
    await findings.check(
      "discovery and diagnosis find nothing to fix", failed.isEmpty,
      failed.map { "\($0.check): \($0.detail)" }.joined(separator: "; "))
  }

  private func refusedConsent() async throws {
    let connector = try makeConnector(consents: false)
    let code = await failure { try await connector.signIn() }
    let wanted = scene.consentRefusal
    await findings.check("refused consent is \(wanted)", code == wanted, code ?? "no error")
  }

  private func signIn(_ connector: Connector) async throws {
    let before = transport.tokenRequests
    let result = try await connector.signIn()
    await findings.check(
      "sign-in: the user's name", result.user.claims["email"]?.string == scene.user.email,
      "\(result.user.claims.keys.sorted())")
    let header = result.idToken?.value.split(separator: ".").first.map(String.init) ?? ""
    let alg = Base64URL.decode(header).flatMap { try? JSONDecoder().decode([String: JSONValue].self, from: $0) }?[
      "alg"]?
      .string
    await findings.check("id_token verified, signed with \(scene.alg)", alg == scene.alg, alg ?? "no header")
    let named = await callbacks.names.last?.contains("iss") ?? false
    await findings.check("the callback names the issuer: \(scene.iss)", named == scene.iss, "\(named)")
    let requests = transport.tokenRequests - before
    await findings.check("one token request", requests == 1, "\(requests)")
  }

  private func silentTokens(_ connector: Connector) async throws {
    let before = transport.tokenRequests
    let first = try await connector.accessToken()
    let second = try await connector.accessToken()
    let after = transport.tokenRequests
    await findings.check(
      "silent token: the cached one, no request", first == second && before == after, "\(after - before)")
    let (body, response) = try await connector.data(for: URLRequest(url: scene.userInfo))
    let fields = try JSONDecoder().decode(JSONValue.self, from: body).object ?? [:]
    guard case .signedIn(let user) = try await connector.session else { throw TourError("No user is signed in.") }
    await findings.check(
      "the API takes the token", response.statusCode == 200 && fields["sub"]?.string == user.subject,
      "status \(response.statusCode)")
  }

  private func refresh(_ connector: Connector) async throws {
    let (_, old) = try await record()
    let token = try await connector.accessToken()
    let sent = transport.tokenRequests
    let renewed = try await connector.accessToken(forceRefresh: true)
    let (_, new) = try await record()
    let requests = transport.tokenRequests - sent
    await findings.check("forced refresh: one token request", requests == 1, "\(requests)")
    if renewed.token == token.token {
      await findings.note("the access token of the refresh", "the same text as before")
    }
    await findings.check(
      "the refresh token rotates: \(scene.rotates)", (old.refreshToken != new.refreshToken) == scene.rotates,
      old.refreshToken == new.refreshToken ? "the same" : "another")
    ahead.withLock { $0 += scene.lifetime }
    let before = transport.tokenRequests
    let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
      for _ in 0..<50 { group.addTask { try await connector.accessToken().token } }
      return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
    }
    let count = transport.tokenRequests - before
    await findings.check("an expired token, 50 callers: one refresh", count == 1 && tokens.count == 1, "\(count)")
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
    await findings.check("the API refuses the expired token", status == 401, "status \(status)")
    guard scene.refreshOutlivesToken else {
      let code = await failure { try await connector.data(for: URLRequest(url: scene.userInfo)).0 }
      // Either the refresh token has ended too, or the new access token has the text of one that was replaced.
      await findings.check(
        "the refresh token ended with it, the next call is refused",
        ["interactionRequired", "unauthorized"].contains(code), code ?? "a token")
      await findings.note("the call after that", code ?? "a token")
      try await check("the next sign-in needs no password: single sign-on", passwords: 0) {
        try await connector.signIn()
      }
      return
    }
    let (_, response) = try await connector.data(for: URLRequest(url: scene.userInfo))
    await findings.check(
      "the next call brings a new one by itself", response.statusCode == 200, "\(response.statusCode)")
  }

  /// Uses another client over the same files, as after a launch.
  private func laterLaunch() async throws {
    try await check("after a launch: a token without a page", passwords: 0) { try await makeConnector().accessToken() }
  }

  private func deadRefreshToken(_ connector: Connector) async throws {
    // A restored backup of the cache uses a refresh token again that was replaced.
    if scene.rotates {
      let (key, old) = try await record()
      _ = try await connector.accessToken(forceRefresh: true)
      let cache = try StoredTokenCache.files(at: URL(fileURLWithPath: scene.folder))
      try await cache.store(old, for: key)
      let code = await failure { try await connector.accessToken(forceRefresh: true) }
      if scene.refusesReuse {
        await findings.check(
          "a replaced refresh token: interactionRequired", code == "interactionRequired", code ?? "accepted")
      } else {
        await findings.note("a replaced refresh token", code ?? "still accepted by this configuration")
      }
      try await check("the next sign-in needs no password: single sign-on", passwords: 0) {
        try await connector.signIn()
      }
    }
    guard let revocation = scene.revocation, let refreshToken = try await record().1.refreshToken else { return }
    let (_, answer) = try await URLSessionTransport().send(
      URLRequest(
        method: "POST", url: revocation, headers: ["Content-Type": "application/x-www-form-urlencoded"],
        body: Data("token=\(refreshToken.value)&token_type_hint=refresh_token&client_id=\(scene.clientID)".utf8)),
      limits: .standard)
    guard answer.statusCode == 200 else {
      await findings.note("revocation", "status \(answer.statusCode) for a public client")
      return
    }
    let code = await failure { try await connector.accessToken(forceRefresh: true) }
    await findings.check(
      "a revoked refresh token: interactionRequired", code == "interactionRequired", code ?? "accepted")
    let session = try await connector.session
    var isExpired = false
    if case .expired = session { isExpired = true }
    await findings.check("the session is expired, the user known", isExpired, "\(session)")
    try await connector.signIn()
  }

  private func signOut(_ connector: Connector) async throws {
    let before = await callbacks.names.count
    let code = await failure {
      try await connector.signOut(endsBrowserSession: scene.endsSessions, sendsIDTokenHint: true)
    }
    await findings.check("sign-out", code == nil, code ?? "")
    let left = try await connector.users()
    await findings.check("nothing is left in the cache", left.isEmpty, "\(left.count) users")
    guard scene.endsSessions else { return }
    let returned = await callbacks.names.count - before
    await findings.note("the browser after the sign-out", returned == 1 ? "came back" : "stayed at the provider")
    if let wanted = scene.silentRefusal {
      var silent = SignInOptions()
      silent.prompt = .none
      let quiet = await failure { try await connector.signIn(options: silent) }
      await findings.check(
        "the server's session has ended: prompt=none is \(wanted)", quiet == wanted, quiet ?? "no error")
    }
    try await check("the next sign-in asks for the password", passwords: 1) { try await connector.signIn() }
    try await connector.signOut()
  }
}

/// The checks so far, printed line by line.
actor Findings {
  private(set) var allHeld = true

  func check(_ rule: String, _ holds: Bool, _ detail: String) {
    allHeld = allHeld && holds
    emit(holds ? "  ok      \(rule)" : "  FAILED  \(rule): \(detail)")
  }

  func note(_ subject: String, _ detail: String) { emit("  note    \(subject): \(detail)") }
}

/// The reason why a tour could not go on.
struct TourError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
