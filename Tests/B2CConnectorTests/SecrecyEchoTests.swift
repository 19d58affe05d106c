import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Promise: whatever a server returns of what was sent to it, and however it writes it, is in nothing that can be printed.
///
/// Every place of a response, with every status, in every encoding, for every request that contains a secret.
@Suite("Secrets that a server returns", .hangLimit)
struct SecrecyEchoTests {
  /// A request that contains secrets, or that goes to a server that knows one.
  enum Operation: String, CaseIterable, Sendable {
    case code, refresh, device, page, metadata, keys, userInfo, list, add, update, delete, data

    var shape: LocalTenant.Shape { [.userInfo, .device].contains(self) ? .openIDConnect : .b2c }

    var target: LocalFaultTarget {
      switch self {
      case .code: .tokenCode
      case .refresh: .tokenRefresh
      case .device: .token
      case .page: .authorize
      case .metadata: .metadata
      case .keys: .keys
      case .userInfo: .path("/userinfo")
      case .list, .data: .method("GET")
      case .add: .method("POST")
      case .update: .method("PUT")
      case .delete: .method("DELETE")
      }
    }
  }

  // MARK: What a server returns

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

  typealias Answer = @Sendable (_ echo: String) -> LocalResponse

  private static func json(_ status: Int, _ fields: [String: String]) -> LocalResponse {
    LocalResponse(
      status: status, headers: ["Content-Type": "application/json"], body: (try? JSONEncoder().encode(fields)) ?? Data()
    )
  }

  private static func challenge(_ status: Int, _ text: String) -> LocalResponse {
    LocalResponse(status: status, headers: ["WWW-Authenticate": text])
  }

  private static let fieldsOfErrors: [(name: String, make: Answer)] = [400, 401, 403, 429, 500].map { status in
    (
      "\(status), fields of an error",
      { echo in
        json(
          status,
          [
            "error": "interaction_required", "error_description": "AADB2C90075: Bad \(echo)\r\nTimestamp: \(echo)",
            "suberror": echo, "trace_id": echo, "timestamp": echo, "correlation_id": echo, "error_uri": echo,
            "claims": #"{"access_token":{"x":{"value":"\#(echo)"}}}"#, "code": echo, "message": "No: \(echo)",
            "issuer": echo,
          ])
      }
    )
  }
  private static let texts: [(name: String, make: Answer)] = [200, 400, 404, 409, 500].map { status in
    ("\(status), plain text", { LocalResponse(status: status, body: Data("You sent \($0).".utf8)) })
  }
  private static let others: [(name: String, make: Answer)] = [
    ("400, error itself", { json(400, ["error": $0]) }),
    ("200, fields of a response", { json(200, ["token_type": $0, "scope": $0, "expires_in": $0, "task": $0]) }),
    ("401, words", { challenge(401, #"Bearer error="invalid_token", error_description="\#($0)""#) }),
    ("401, error", { challenge(401, #"Bearer realm="\#($0)", error="\#($0)""#) }),
    ("401, no quotation marks", { challenge(401, "Bearer error=invalid_token, \($0)=\($0), realm=\($0)") }),
    ("403, scope", { challenge(403, #"Bearer error="insufficient_scope", scope="a \#($0) b""#) }),
    ("401, claims itself", { challenge(401, #"Bearer error="insufficient_claims", claims="\#($0)""#) }),
    (
      "403, base64 of claims",
      { challenge(403, "Bearer claims=\"\(Data(#"{"x":{"value":"\#($0)"}}"#.utf8).base64EncodedString())\"") }
    ),
    ("401, escaped claims", { challenge(401, #"Bearer claims="{\"x\":{\"value\":\"\#($0)\"}}""#) }),
    ("401, scheme", { challenge(401, $0) }), ("401, token of a scheme", { challenge(401, "Bearer \($0)") }),
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

  /// With `isOpaque` the tokens are words that nothing but the knowledge of what was sent tells from other words.
  static let rows =
    Operation.allCases.map { ($0, false) }
    + [Operation.refresh, .userInfo, .list, .add, .update, .delete, .data].map { ($0, true) }

  @Test("No error, event or value shows it", arguments: rows)
  func echoes(_ operation: Operation, _ isOpaque: Bool) async throws {
    let scene = Scene(shape: operation.shape)
    let connector = try await scene.signedIn { $0.retry = .none }
    let key = try #require(try await scene.cache.keys().first)
    var record = try #require(try await scene.cache.record(for: key))
    if isOpaque {
      record.refreshToken = Secret("refresh token of words")
      record.accessTokens[0].token = Secret("opaque-token-of-words")
    }
    // No secret is sent for a document, but its server knows one from another request.
    let known = [.metadata, .keys].contains(operation) ? [record.accessTokens[0].token.value] : []
    let current = Locked<(answer: Answer, number: Int)?>(nil)
    let sent = Locked<Set<String>>([])
    scene.transport.intercept { request in
      let secrets = known + Self.secrets(of: request)
      guard let (answer, number) = current.withLock({ $0 }), operation.target.contains(request), !secrets.isEmpty
      else { return nil }
      sent.withLock { $0.formUnion(secrets) }
      var response = answer(secrets[number % secrets.count])
      let state = request.url.flatMap { TestSupport.query(of: $0)["state"] } ?? ""
      response.headers["Location"] = response.headers["Location"]?.replacing("STATE", with: state)
      return response
    }
    // Rows that send no secret of a user, or that make many requests, are tried with fewer responses.
    let step = [.device, .page, .metadata, .keys].contains(operation) ? 8 : 1
    for (row, answer) in (Self.fieldsOfErrors + Self.texts + Self.others).enumerated() {
      // The SDK looks for a token in claims that an API wants, and for no other encoding of it than base64.
      let isPlain = isOpaque || answer.name.hasSuffix(" claims")
      for (column, encoding) in Self.encodings.prefix(isPlain ? 3 : .max).enumerated() where (row + column) % step == 0
      {
        try await scene.cache.store(record, for: key)
        current.withLock { $0 = ({ answer.make(encoding.write($0)) }, row + column) }
        let told = Told()
        let before = scene.events.values.count
        await told.call { try await call(operation, connector, scene) }
        current.withLock { $0 = nil }
        for event in scene.events.values.dropFirst(before) { told.add(event) }
        let secrets = sent.withLock { secrets in
          defer { secrets = [] }
          return secrets
        }
        #expect(!secrets.isEmpty, "\(operation.rawValue) sent no secret")
        for secret in secrets {
          let leak = Self.leak(of: secret, encoding.write, in: told.texts.joined(separator: "\n"))
          #expect(leak == nil, "\(operation.rawValue), \(answer.name), \(encoding.name): \(leak ?? "")")
        }
      }
    }
  }

  private func call(_ operation: Operation, _ connector: Connector, _ scene: Scene) async throws -> Any {
    let task = TaskItem(itemName: "Buy milk", serverID: "1")
    switch operation {
    case .code: return try await connector.signIn()
    case .refresh: return try await connector.accessToken(forceRefresh: true)
    // Some responses keep it polling until the code expires.
    case .device: return try await scene.passingTime { try await connector.signInWithDeviceCode { _ in } }
    case .page: return try await connector.diagnose()
    // A connector that knows no documents yet.
    case .metadata, .keys: return try await scene.connector { $0.retry = .none }.signIn()
    case .userInfo: return try await connector.fetchUserInfo()
    case .list: return try await connector.getTaskList().count
    case .add: return try await connector.addTask(task).id
    case .update: return try await connector.updateTask(task).id
    case .delete:
      try await connector.deleteTask(task)
      return 0
    case .data: return try await connector.data(for: URLRequest(url: scene.tasks.url)).0.count
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
