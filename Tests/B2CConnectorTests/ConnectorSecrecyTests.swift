import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Promise: tokens, codes, verifiers and passwords appear in nothing that can be printed.
@Suite("Secrets stay secret", .hangLimit)
struct ConnectorSecrecyTests {
  /// Everything secret that has crossed the wire.
  private func canaries(_ scene: Scene) throws -> [String] {
    var found: Set<String> = [LocalUser.alice.password.value]
    for recorded in scene.network.requests {
      for name in ["code", "code_verifier", "refresh_token"] {
        if let value = recorded.form[name] { found.insert(value) }
      }
      if let state = recorded.query["state"] { found.insert(state) }
      if let token = recorded.bearerToken { found.insert(token) }
      let body = recorded.response.flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0.body).object } ?? [:]
      for name in ["access_token", "refresh_token", "id_token"] {
        if let value = body[name]?.string { found.insert(value) }
      }
    }
    return found.filter { $0.count > 8 }
  }

  private func text(of value: Any) -> String {
    var dumped = ""
    dump(value, to: &dumped)
    return "\(value)" + String(reflecting: value) + dumped + "\(Mirror(reflecting: value).children.map { $0 })"
  }

  @Test("Nothing the connector gives or throws shows a secret")
  func values() async throws {
    let scene = Scene()
    let events = Collected<Connector.Event>()
    let clock = scene.clock
    let cache = InMemoryTokenCache()
    let presenter = scene.script(.signIn(.alice))
    let connector = try Connector(
      settings: scene.settings(),
      environment: Connector.Environment(
        presenter: presenter, cache: cache, transport: scene.network, clock: clock, now: { clock.date },
        onEvent: { events.add($0) })
    ) { $0.retry = .none }
    var shown: [String] = []
    let result = try await connector.signIn(policy: Policy("B2C_1_SignIn"))
    shown.append(text(of: result))
    shown.append(text(of: try await connector.accessToken()))
    shown.append(text(of: try await connector.getTaskList()))
    for key in await cache.keys() {
      shown.append(text(of: key))
      if let record = await cache.record(for: key) { shown.append(text(of: record)) }
    }
    shown.append(text(of: connector))
    await clock.advance(by: .seconds(4_000))
    shown.append(text(of: try await connector.accessToken()))
    for fault in [400, 401, 403, 500] {
      scene.tasks.faults = [
        LocalFault(on: .any, .change { $0 = LocalResponse(status: fault, body: $0.body) })
      ]
      do { shown.append(text(of: try await connector.getTaskList())) } catch { shown.append(text(of: error)) }
    }
    await clock.advance(by: .seconds(4_000))
    for fault in [400, 500, 200] {
      scene.tenant.faults = [
        LocalFault(on: .tokenRefresh, .change { $0 = LocalResponse(status: fault, body: Data("x".utf8)) })
      ]
      do { shown.append(text(of: try await connector.accessToken())) } catch { shown.append(text(of: error)) }
    }
    scene.tenant.faults = []
    shown.append(try await connector.diagnose().description)
    shown += presenter.steps
    shown += scene.network.requests.map { text(of: $0) }
    shown += events.all.map { text(of: $0) }
    let canaries = try canaries(scene)
    #expect(canaries.count >= 6)
    for canary in canaries {
      for text in shown { #expect(!text.contains(canary), "\(canary.prefix(4))… in \(text.prefix(200))") }
    }
  }

  @Test("Printing what shows a page, and what it is shown by, shows nothing of it")
  func pages() async throws {
    let scene = Scene()
    let browser = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: browser)
    var options = SignInOptions(prompt: .login)
    options.loginHint = "alice@secret.example"
    options.claimsRequest = #"{"id_token":{"secretClaim":null}}"#
    options.extraParameters = ["secretName": "secretValue"]
    try await connector.signIn(options: options)
    _ = try? await connector.signOut(endsBrowserSession: true, sendsIDTokenHint: true)
    var shown = text(of: options)
    var hidden = ["secret"]
    for request in browser.requests {
      shown += text(of: request) + text(of: [request]) + text(of: Optional(request) as Any)
      let items = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
      hidden += items.filter { ["state", "nonce", "id_token_hint", "code_challenge"].contains($0.name) }.compactMap(
        \.value)
    }
    #expect(hidden.count == 6)
    for text in hidden { #expect(!shown.contains(text), "\(text)") }
  }

  @Test("Printing a presenter shows nothing of its page, while that is open and after its callback")
  func presenters() async throws {
    let (pages, opened) = AsyncStream.makeStream(of: URL.self)
    let external = ExternalBrowserPresenter { opened.yield($0) }
    let loopback = LoopbackPresenter { opened.yield($0) }
    let presenters: [(any SignInPresenter, String)] = [
      (external, "com.example.tasks:/callback"), (loopback, "http://127.0.0.1/callback"),
    ]
    var shown = ""
    for (presenter, redirect) in presenters {
      let request = PresentationRequest(
        url: try url("https://login.example/page?nonce=secret-nonce&id_token_hint=secret-hint"),
        redirectURI: try url(redirect), state: Secret("secret-state"))
      let page = Task { try await presenter.present(request) }
      var openings = pages.makeAsyncIterator()
      _ = await openings.next()
      shown += text(of: presenter)
      external.resume(with: try url("com.example.tasks:/callback?code=secret-code&state=secret-state"))
      shown += text(of: presenter)
      page.cancel()
      _ = await page.result
      shown += text(of: presenter)
    }
    #expect(!shown.contains("secret"), "\(shown)")
  }

  @Test("No secret is in a URL, except the callback and the hint that end in one")
  func urls() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    _ = try await connector.getTaskList()
    let canaries = try canaries(scene).filter { canary in
      // The state belongs into the authorize URL (RFC 6749 section 4.1.1).
      !scene.network.requests.contains { $0.query["state"] == canary }
    }
    for recorded in scene.network.requests {
      for canary in canaries { #expect(recorded.request.url?.absoluteString.contains(canary) == false) }
    }
  }

  @Test("The API never sees the id_token, the refresh token or another API's token")
  func bearer() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    _ = try await connector.getTaskList()
    let bearers = Set(scene.network.requests.compactMap(\.bearerToken))
    #expect(bearers == [try await connector.accessToken().token.value])
  }
}

/// Keeps what it is given, in order.
final class Collected<Value: Sendable>: Sendable {
  private let kept = LockedList<Value>()
  var all: [Value] { kept.values }
  func add(_ value: Value) { kept.append(value) }

  /// Returns what was kept, and forgets it.
  func take() -> [Value] { kept.take() }
}

/// A list behind a lock.
final class LockedList<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var list: [Value] = []
  var values: [Value] { lock.withLock { list } }
  func append(_ value: Value) { lock.withLock { list.append(value) } }

  func take() -> [Value] {
    lock.withLock {
      defer { list = [] }
      return list
    }
  }
}
