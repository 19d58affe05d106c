import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Promise: whatever a server returns of what was sent to it, and however it writes it, is in nothing that can be printed.
///
/// Every place of a response, with every status, for every request that contains a secret.
@Suite("Secrets that a server returns", .hangLimit)
struct SecrecyEchoTests {
  /// A request that contains secrets, or that goes to a server that knows one.
  struct Operation: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let target: LocalFaultTarget
    let shape: LocalTenant.Shape
    let call: @Sendable (SignedInScene) async throws -> any Sendable

    init(
      _ name: String, _ target: LocalFaultTarget, at shape: LocalTenant.Shape = .b2c,
      _ call: @escaping @Sendable (SignedInScene) async throws -> any Sendable
    ) {
      (testDescription, self.target, self.shape, self.call) = (name, target, shape, call)
    }
  }

  private static let task = TaskItem(itemName: "Buy milk", serverID: "1")
  /// A connector that knows no documents yet.
  private static let signIn: @Sendable (SignedInScene) async throws -> any Sendable = {
    try await $0.scene.connector { $0.retry = .none }.signIn()
  }
  static let operations = [
    Operation("code", .tokenCode) { try await $0.connector.signIn() },
    Operation("refresh", .tokenRefresh) { try await $0.connector.accessToken(forceRefresh: true) },
    // Some responses keep it polling until the code expires.
    Operation("device", .token, at: .openIDConnect) { alice in
      try await alice.scene.passingTime { try await alice.connector.signInWithDeviceCode { _ in } }
    },
    Operation("device code", .path("/device_authorization"), at: .openIDConnect) {
      try await $0.connector.signInWithDeviceCode { _ in }
    },
    Operation("page", .authorize) { try await $0.connector.diagnose() },
    Operation("metadata", .metadata, signIn), Operation("keys", .keys, signIn),
    Operation("userinfo", .path("/userinfo"), at: .openIDConnect) { try await $0.connector.fetchUserInfo() },
    Operation("list", .method("GET")) { try await $0.connector.getTaskList().count },
    Operation("add", .method("POST")) { try await $0.connector.addTask(task).id },
    Operation("update", .method("PUT")) { try await $0.connector.updateTask(task).id },
    Operation("delete", .method("DELETE")) { alice in
      try await alice.connector.deleteTask(task)
      return "deleted"
    },
    Operation("data", .method("GET")) { try await $0.connector.data(for: URLRequest(url: $0.scene.tasks.url)).0.count },
  ]

  // MARK: What a server returns

  /// How a server may write what it returns; `PrintableTextTests` has more forms.
  static let encodings: [(name: String, write: @Sendable (String) -> String)] = [
    ("as it is", { $0 }), ("upper case", { $0.uppercased() }), ("base64", { Data($0.utf8).base64EncodedString() }),
    ("percent-encoded", { $0.utf8.map { "%" + String($0, radix: 16) }.joined() }),
  ]

  typealias Answer = (name: String, make: @Sendable (_ echo: String) -> LocalResponse)

  private static func json(_ status: Int, _ fields: [String: String]) -> LocalResponse {
    LocalResponse(
      status: status, headers: ["Content-Type": "application/json"], body: (try? JSONEncoder().encode(fields)) ?? Data()
    )
  }

  private static let errors: [Answer] = [400, 401, 403, 429, 500].map { status in
    let make: @Sendable (String) -> LocalResponse = { echo in
      var fields = [
        "error": "interaction_required", "error_description": "AADB2C90075: Bad \(echo)\r\nTimestamp: \(echo)",
        "claims": #"{"access_token":{"x":{"value":"\#(echo)"}}}"#, "message": "No: \(echo)",
      ]
      for name in [
        "suberror", "trace_id", "timestamp", "correlation_id", "error_uri", "code", "issuer", "title", "detail",
      ] {
        fields[name] = echo
      }
      return json(status, fields)
    }
    return ("\(status), fields of an error", make)
  }
  private static let texts: [Answer] = [200, 400, 404, 409, 500].map { status in
    ("\(status), plain text", { LocalResponse(status: status, body: Data("You sent \($0).".utf8)) })
  }
  private static func challenge(
    _ status: Int, _ name: String, _ write: @escaping @Sendable (_ echo: String) -> String
  ) -> Answer {
    ("\(status), \(name)", { LocalResponse(status: status, headers: ["WWW-Authenticate": write($0)]) })
  }
  private static let challenges = [
    challenge(401, "words") { #"Bearer error="invalid_token", error_description="\#($0)""# },
    challenge(401, "error") { #"Bearer realm="\#($0)", error="\#($0)""# },
    challenge(401, "no quotation marks") { "Bearer error=invalid_token, \($0)=\($0), realm=\($0)" },
    challenge(403, "scope") { #"Bearer error="insufficient_scope", scope="a \#($0) b""# },
    challenge(401, "claims itself") { #"Bearer error="insufficient_claims", claims="\#($0)""# },
    challenge(403, "base64 of claims") {
      "Bearer claims=\"\(Data(#"{"x":{"value":"\#($0)"}}"#.utf8).base64EncodedString())\""
    },
    challenge(401, "escaped claims") { #"Bearer claims="{\"x\":{\"value\":\"\#($0)\"}}""# },
    challenge(401, "scheme") { $0 }, challenge(401, "token of a scheme") { "Bearer \($0)" },
  ]
  private static let others: [Answer] = [
    ("400, error itself", { json(400, ["error": $0]) }),
    ("200, fields of a response", { json(200, ["token_type": $0, "scope": $0, "expires_in": $0, "task": $0]) }),
    ("302, address", { LocalResponse(status: 302, headers: ["Location": "https://other.example/?x=\($0)"]) }),
    (
      "302, error of a callback",
      {
        let echo = FormEncoding.escape($0)
        let query = "?error=server_error&error_description=You+sent+\(echo)&error_subcode=\(echo)&state=STATE"
        return LocalResponse(status: 302, headers: ["Location": Scene.redirect + query])
      }
    ),
    (
      "503, header fields",
      {
        LocalResponse(
          status: 503, headers: ["Retry-After": $0, "x-ms-request-id": $0, "request-id": $0, "Content-Type": $0])
      }
    ),
  ]

  // MARK: What is sent

  /// The secrets of a request; the long ones first, so that a response has the refresh token and not the verifier.
  private static func secrets(of request: URLRequest) -> [String] {
    let bearer = request.value(forHTTPHeaderField: "Authorization").map { String($0.dropFirst("Bearer ".count)) }
    let query = request.url.map { TestSupport.query(of: $0) } ?? [:]
    let names = ["code", "refresh_token", "device_code", "code_verifier"]
    return [bearer].compactMap(\.self) + names.compactMap { request.form[$0] }
      + ["nonce", "state"].compactMap { query[$0] }
  }

  /// What a server returns: a token of the request, words that only the request shows to be a token, or the token of
  /// another service with control characters behind it.
  enum Echo: CaseIterable { case token, words, foreignToken }

  @Test("No error, event or value shows it, and no text forges a line", arguments: operations, Echo.allCases)
  func echoes(_ operation: Operation, _ echo: Echo) async throws {
    let alice = try await SignedInScene(Scene(shape: operation.shape), after: 0) { $0.retry = .none }
    let scene = alice.scene
    let key = try #require(try await scene.cache.keys().first)
    var record = try await scene.record()
    // No secret is sent for a document, but its server knows one from another request.
    let knows = ["metadata", "keys", "device code"].contains(operation.testDescription)
    let known = knows ? [record.accessTokens[0].token.value] : []
    if echo == .words {
      record.refreshToken = Secret("refresh token of words")
      record.accessTokens[0].token = Secret("opaque-token-of-words")
    }
    let current = Locked<(answer: @Sendable (String) -> LocalResponse, number: Int)?>(nil)
    let sent = Locked<Set<String>>([])
    scene.transport.intercept { request in
      let secrets = echo == .foreignToken ? [SecrecySweepTests.token] : known + Self.secrets(of: request)
      guard let (answer, number) = current.withLock({ $0 }), operation.target.contains(request), !secrets.isEmpty
      else { return nil }
      sent.withLock { $0.formUnion(secrets) }
      let forgery = echo == .foreignToken ? SecrecySweepTests.forgery : ""
      var response = answer(secrets[number % secrets.count] + forgery)
      response.headers = response.headers.mapValues { $0.filter { (" "..."~").contains($0) } }
      let state = request.url.flatMap { TestSupport.query(of: $0)["state"] } ?? ""
      response.headers["Location"] = response.headers["Location"]?.replacing("STATE", with: state)
      return response
    }
    for answer in Self.errors + Self.texts + Self.challenges + Self.others {
      // The SDK looks for the request's token in claims that an API wants, and for no other encoding of it than base64.
      let hasClaims = answer.name.hasSuffix(" claims")
      let count =
        switch echo {
        case .token: hasClaims ? 2 : 4
        case .words: 2
        case .foreignToken: hasClaims ? 0 : 1
        }
      for (number, encoding) in Self.encodings.prefix(count).enumerated() {
        try await scene.cache.store(record, for: key)
        let (told, before) = (Told(), scene.events.values.count)
        sent.withLock { $0 = [] }
        current.withLock { $0 = ({ answer.make(encoding.write($0)) }, number) }
        await told.call { try await operation.call(alice) }
        current.withLock { $0 = nil }
        for event in scene.events.values.dropFirst(before) { told.add(event) }
        let secrets = sent.withLock { $0 }
        #expect(!secrets.isEmpty)
        for secret in secrets {
          let leak = Self.leak(of: secret, encoding.write, in: told.all)
          #expect(leak == nil, "\(answer.name), \(encoding.name): \(leak ?? "")")
        }
        for text in told.logged {
          #expect(text.unicodeScalars.allSatisfy(PrintableText.isPrintable) && text.utf8.count < 2_000, "\(text)")
        }
      }
    }
  }

  /// Returns a piece of a secret, of at least 15 characters, that a text shows as it is or encoded, in whatever case.
  static func leak(of secret: String, _ write: (String) -> String, in text: String) -> String? {
    let text = text.lowercased()
    return [secret, write(secret)].compactMap { form -> String? in
      let characters = Array(form.lowercased().utf8)
      // Twelve characters at every fourth place are in any piece of fifteen.
      return stride(from: 0, through: characters.count - 12, by: 4).lazy
        .map { String(decoding: characters[$0..<($0 + 12)], as: UTF8.self) }
        .first { strstr(text, $0) != nil }
    }.first
  }
}

/// Returns everything that a value can be made to print, and for an error also what is under it.
func shown(_ value: Any) -> String {
  var text = "\(value) \(String(reflecting: value)) "
  dump(value, to: &text)
  for child in Mirror(reflecting: value).children { dump(child.value, to: &text) }
  guard let error = value as? any Error else { return text }
  text += error.localizedDescription
  guard let error = error as? ConnectorError else { return text }
  text += " \(error as NSError) \((error as NSError).userInfo) "
  text += [
    error.message, error.recoverySuggestion, error.serverDescription, error.serverCode, error.oauthError, error.claims,
    error.method, error.url, error.correlationID?.uuidString,
  ].compactMap(\.self).joined(separator: " ")
  return text + ((error.underlying as? ConnectorError).map { shown($0) } ?? "")
}

/// What the calls of a connector give or throw, printed in every way.
final class Told {
  private(set) var texts: [String] = []
  /// The texts that an app logs, which are errors, findings, users and events.
  private(set) var logged: [String] = []

  var all: String { texts.joined(separator: "\n") }

  func add(_ values: Any...) { texts += values.map(shown) }

  func log(_ value: Any) {
    add(value)
    logged.append("\(value)")
  }

  func call(_ body: () async throws -> Any) async {
    do { add(try await body()) } catch { log(error) }
  }

  /// Makes every call, with a connector that may not be made.
  func callEverything(_ scene: Scene, _ environment: Connector.Environment) async {
    let connector: Connector
    do {
      connector = try Connector(settings: scene.settings(), environment: environment) { $0.retry = .none }
    } catch {
      return log(error)
    }
    let (task, request) = (TaskItem(itemName: "Buy milk", serverID: "1"), URLRequest(url: scene.tasks.url))
    await call { try await connector.signIn(options: SignInOptions(prompt: .login)) }
    await call { try await connector.accessToken() }
    await call { try await connector.accessToken(forceRefresh: true) }
    await call { try await connector.fetchUserInfo() }
    await call {
      let users = try await connector.users()
      for user in users { log(user) }
      return users
    }
    await call { try await connector.session }
    await call { try await connector.getTaskList() }
    await call { try await connector.addTask(task) }
    await call { try await connector.updateTask(task) }
    await call { try await connector.deleteTask(task) }
    await call { try await connector.data(for: request).0.count }
    await call { try await connector.beginSignIn() }
    await call { try await connector.finishSignIn(connector.beginSignIn(), callback: url(Scene.redirect + "?code=x")) }
    await call { try await connector.signInWithDeviceCode { _ in throw CancellationError() } }
    await call {
      let diagnosis = try await connector.diagnose()
      for finding in diagnosis.findings { log(finding.detail + (finding.recoverySuggestion ?? "")) }
      return diagnosis
    }
    for key in (try? await scene.cache.keys()) ?? [] {
      add(key)
      if let record = try? await scene.cache.record(for: key) { add(record) }
    }
    await call { try await connector.signOut(endsBrowserSession: true, sendsIDTokenHint: true) }
    add(connector, environment, scene.cache)
    for event in scene.events.values { log(event) }
  }
}
