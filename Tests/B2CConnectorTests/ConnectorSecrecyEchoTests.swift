import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Promise: whatever a server returns of what was sent to it, and however it writes it, shows nowhere.
///
/// Every place of an answer, with every status, in every encoding, for every request that carries a secret.
@Suite("Secrets that a server returns", .hangLimit)
struct ConnectorSecrecyEchoTests {
  /// A request that carries secrets.
  enum Operation: String, CaseIterable, Sendable {
    case code, refresh, userInfo, list, add, update, delete, data

    var target: LocalFaultTarget {
      switch self {
      case .code: .tokenCode
      case .refresh: .tokenRefresh
      case .userInfo: .path("/userinfo")
      case .list, .data: .method("GET").and(LocalFaultTarget { $0.value(forHTTPHeaderField: "Authorization") != nil })
      case .add: .method("POST").and(LocalFaultTarget { $0.value(forHTTPHeaderField: "Authorization") != nil })
      case .update: .method("PUT").and(LocalFaultTarget { $0.value(forHTTPHeaderField: "Authorization") != nil })
      case .delete: .method("DELETE").and(LocalFaultTarget { $0.value(forHTTPHeaderField: "Authorization") != nil })
      }
    }
  }

  /// How a server may write what it returns.
  static let encodings: [(name: String, write: @Sendable (String) -> String)] = [
    ("as it is", { $0 }), ("upper case", { $0.uppercased() }), ("lower case", { $0.lowercased() }),
    ("base64", { Data($0.utf8).base64EncodedString() }),
    ("base64 of a longer text", { Data("x=\($0)".utf8).base64EncodedString() }),
    ("base64url", { Base64URL.encode(Array($0.utf8)) }),
    ("percent-encoded", { $0.utf8.map { "%" + hex($0) }.joined() }),
    ("percent-encoded twice", { $0.utf8.map { "%25" + hex($0) }.joined() }),
    ("hexadecimal", { $0.utf8.map(hex).joined() }),
    ("hexadecimal, upper case", { $0.utf8.map(hex).joined().uppercased() }),
    ("as \\u escapes", { $0.utf8.map { "\\u00" + hex($0) }.joined() }),
  ]

  static func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

  /// Where a server may put it.
  static let answers: [(name: String, make: @Sendable (String) -> LocalResponse)] = {
    let json: @Sendable (Int, [String: String]) -> LocalResponse = { status, fields in
      LocalResponse(
        status: status, headers: ["Content-Type": "application/json"],
        body: (try? JSONEncoder().encode(fields)) ?? Data())
    }
    let challenge: @Sendable (Int, String) -> LocalResponse = { status, text in
      LocalResponse(status: status, headers: ["WWW-Authenticate": text])
    }
    var all: [(String, @Sendable (String) -> LocalResponse)] = []
    for status in [400, 401, 403, 429, 500] {
      all.append(
        (
          "\(status), fields of an error",
          { echo in
            json(
              status,
              [
                "error": "interaction_required", "error_description": "AADB2C90075: Bad \(echo)\r\nTimestamp: \(echo)",
                "suberror": echo, "trace_id": echo, "timestamp": echo, "correlation_id": echo, "error_uri": echo,
                "claims": #"{"access_token":{"x":{"value":"\#(echo)"}}}"#, "code": echo, "message": "No: \(echo)",
              ])
          }
        ))
    }
    for status in [200, 400, 404, 409, 500] {
      all.append(("\(status), plain text", { LocalResponse(status: status, body: Data("You sent \($0).".utf8)) }))
    }
    all.append(("400, error itself", { json(400, ["error": $0]) }))
    all.append(
      ("200, fields of an answer", { json(200, ["token_type": $0, "scope": $0, "expires_in": $0, "task": $0]) }))
    all.append(
      (
        "401, description of a challenge",
        { challenge(401, #"Bearer error="invalid_token", error_description="\#($0)""#) }
      ))
    all.append(("401, error of a challenge", { challenge(401, #"Bearer realm="\#($0)", error="\#($0)""#) }))
    all.append(("403, scope of a challenge", { challenge(403, #"Bearer error="insufficient_scope", scope="\#($0)""#) }))
    all.append(
      ("401, claims of a challenge", { challenge(401, #"Bearer error="insufficient_claims", claims="\#($0)""#) }))
    all.append(("401, scheme of a challenge", { challenge(401, $0) }))
    all.append(
      ("302, address", { LocalResponse(status: 302, headers: ["Location": "https://other.example/?x=\($0)"]) }))
    all.append(
      (
        "503, header fields",
        {
          LocalResponse(
            status: 503, headers: ["Retry-After": $0, "x-ms-request-id": $0, "request-id": $0, "Content-Type": $0])
        }
      ))
    return all
  }()

  @Test("No error, event or value shows it", arguments: Operation.allCases)
  func echoes(_ operation: Operation) async throws {
    let scene = Scene()
    let transport = EchoingTransport(base: scene.network)
    let events = Collected<Connector.Event>()
    let cache = InMemoryTokenCache()
    let clock = scene.clock
    let connector = try Connector(
      settings: scene.settings(),
      environment: Connector.Environment(
        presenter: scene.script(.signIn(.alice)), cache: cache, transport: transport, clock: clock,
        now: { clock.date }, onEvent: { events.add($0) })
    ) { $0.retry = .none }
    let signIn = try Policy("B2C_1_SignIn")
    try await connector.doPolicy(signIn)
    let task = try await connector.addTask(TaskItem(itemName: "Buy milk"))
    let key = try #require(await cache.keys().first)
    let record = try #require(await cache.record(for: key))
    for answer in Self.answers {
      for encoding in Self.encodings {
        await cache.store(record, for: key)
        transport.arm(operation.target) { answer.make(encoding.write($0)) }
        var shown: [String] = []
        do {
          switch operation {
          case .code: shown.append(everything(try await connector.signIn(policy: signIn)))
          case .refresh: shown.append(everything(try await connector.accessToken(forceRefresh: true)))
          case .userInfo: shown.append(everything(try await connector.fetchUserInfo()))
          case .list: _ = try await connector.getTaskList()
          case .add: _ = try await connector.addTask(task)
          case .update: _ = try await connector.updateTask(task)
          case .delete: _ = try await connector.deleteTask(task)
          case .data: _ = try await connector.data(for: URLRequest(url: try #require(connector.settings.taskWebAPI)))
          }
        } catch {
          shown.append(everything(error))
        }
        shown += events.take().map { everything($0) }
        for secret in transport.disarm() {
          let leak = Self.leak(of: secret, encoding.write, in: shown.joined(separator: "\n"))
          #expect(leak == nil, "\(operation.rawValue), \(answer.name), \(encoding.name): \(leak ?? "")")
        }
      }
    }
  }

  /// A piece of a secret, of at least 15 characters, as it is or encoded, in whatever case, that a text shows.
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

/// Everything that a value can be made to print, and the errors under an error.
private func everything(_ value: Any) -> String {
  var text = "\(value) \(String(reflecting: value)) "
  dump(value, to: &text)
  for child in Mirror(reflecting: value).children { dump(child.value, to: &text) }
  guard let error = value as? any Error else { return text }
  text += error.localizedDescription + " \(error as NSError) \((error as NSError).userInfo)"
  let under: (any Error)?
  switch error {
  case let error as ConnectorError:
    text += [
      error.message, error.recoverySuggestion, error.serverDescription, error.serverCode, error.oauthError,
      error.claims, error.method, error.url,
      error.correlationID?.uuidString,
    ].compactMap(\.self).joined(separator: " ")
    under = error.underlying
  default: under = nil
  }
  return text + (under.map { everything($0) } ?? "")
}

/// A network in which a server returns the secrets of a request.
private final class EchoingTransport: HTTPTransport {
  private struct State {
    var target: LocalFaultTarget?
    var answer: (@Sendable (String) -> LocalResponse)?
    var secrets: Set<String> = []
  }

  private let base: LocalNetwork
  private let state = Locked(State())

  init(base: LocalNetwork) {
    self.base = base
  }

  func arm(_ target: LocalFaultTarget, _ answer: @escaping @Sendable (String) -> LocalResponse) {
    state.withLock { $0 = State(target: target, answer: answer) }
  }

  /// The secrets that were sent to the server that returns them.
  func disarm() -> Set<String> {
    state.withLock { state in
      defer { state = State() }
      return state.secrets
    }
  }

  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    let secrets = Self.secrets(of: request)
    let answer = state.withLock { state -> LocalResponse? in
      guard let target = state.target, target.contains(request), let secret = secrets.first else { return nil }
      state.secrets.formUnion(secrets)
      return state.answer?(secret)
    }
    if let answer { return try answer.answer(to: request.url) }
    return try await base.send(request, limits: limits)
  }

  /// The long ones first, so that an answer has the refresh token and not the verifier.
  private static func secrets(of request: URLRequest) -> [String] {
    var found = request.value(forHTTPHeaderField: "Authorization").map { [String($0.dropFirst("Bearer ".count))] } ?? []
    let form =
      URLComponents(string: "?" + String(decoding: request.httpBody ?? Data(), as: UTF8.self))?.queryItems ?? []
    for item in form where ["code", "code_verifier", "refresh_token"].contains(item.name) {
      if let value = item.value { found.append(value) }
    }
    return found
  }
}
