import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.hangLimit)
struct AuthorizedTransportTests {
  private let tokens = CannedTokens()

  private func authorized(
    _ transport: any HTTPTransport, tokens: BearerTokens? = nil, at allowed: URL? = nil,
    clock: LeapingClock = LeapingClock()
  ) throws -> AuthorizedTransport {
    let origin = try #require(Origin(allowed ?? url()))
    return AuthorizedTransport(
      RetryingTransport(transport: transport, clock: clock), tokens: tokens ?? self.tokens.source,
      allowedOrigins: [origin])
  }

  private func url(_ text: String = "https://api.example.com/tasks") throws -> URL {
    try #require(URL(string: text))
  }

  private func refusal(_ challenge: String? = nil, status: Int = 401) -> LocalResponse {
    LocalResponse(status: status, headers: challenge.map { ["WWW-Authenticate": $0] } ?? [:])
  }

  @Test("The token replaces another Authorization field")
  func attachesTheToken() async throws {
    let canned = CannedTransport(statuses: 200)
    var request = URLRequest(
      method: "POST", url: try url(), headers: ["authorization": "Basic other", "Accept": "text/plain"])
    request.httpBody = Data("x".utf8)
    _ = try await authorized(canned).answer(to: request)
    #expect(canned.requests.first?.value(forHTTPHeaderField: "Authorization") == "Bearer token-1")
    #expect(canned.requests.first?.value(forHTTPHeaderField: "Accept") == "text/plain")
    #expect(tokens.asked == [nil])
  }

  @Test("A token that no header field can carry is refused")
  func unusableToken() async throws {
    let canned = CannedTransport(statuses: 200)
    let request = URLRequest(url: try url())
    let transport = try authorized(canned, tokens: CannedTokens("a\r\nX-Injected: 1").source)
    await expectError(ConnectorError.self, .configuration) { try await transport.answer(to: request) }
    #expect(canned.requests.isEmpty)
  }

  @Test(
    "An origin that is not allowed is refused before a token is fetched",
    arguments: [
      "https://evil.example.com/", "http://api.example.com/tasks", "https://api.example.com:8443/tasks",
      "https://api.example.com.evil.example/", "https://api.example.com@evil.example/", "https://me@api.example.com/",
      "https://api%2Eexample.com/", "file:///tasks", "/tasks",
    ])
  func refusesAnOriginThatIsNotAllowedBeforeATokenIsFetched(text: String) async throws {
    let canned = CannedTransport(statuses: 200)
    let transport = try authorized(canned)
    let request = URLRequest(url: try url(text))
    let error = await #expect(throws: ConnectorError.self) { try await transport.answer(to: request) }
    #expect(error?.code == .originNotAllowed)
    await expectError(ConnectorError.self, .originNotAllowed) { try await transport.authorized(request) }
    #expect(tokens.asked.isEmpty)
    #expect(canned.requests.isEmpty)
  }

  @Test("A token never leaves in plain text, except to this machine, whatever the allowed origins say")
  func plainText() async throws {
    let canned = CannedTransport(statuses: 200)
    for (text, isAllowed) in [
      ("http://api.example.com/", false), ("http://192.168.0.1:8080/", false), ("http://127.0.0.1.example.com/", false),
      ("http://127.0.0.1:8080/", true), ("http://localhost/", true), ("http://[::1]/", true),
    ] {
      let url = try url(text)
      let transport = try authorized(canned, at: url)
      let request = URLRequest(url: url)
      if isAllowed {
        #expect(try await transport.authorized(request).value(forHTTPHeaderField: "Authorization") == "Bearer token-1")
      } else {
        await expectError(ConnectorError.self, .originNotAllowed, "\(text)") {
          try await transport.authorized(request)
        }
        await expectError(ConnectorError.self, .originNotAllowed, "\(text)") {
          try await transport.answer(to: request)
        }
      }
    }
    #expect(canned.requests.isEmpty)
    #expect(tokens.asked == [nil, nil, nil])
  }

  @Test("The second try after a 401 gets the rest of the deadline")
  func restOfTheDeadline() async throws {
    let clock = LeapingClock()
    let slow = SlowTransport(clock: clock, answering: [401, 200])
    let transport = try authorized(slow, clock: clock)
    let request = URLRequest(url: try url())
    let limits = TransportLimits(deadline: .seconds(20))
    #expect(try await transport.answer(to: request, limits: limits).status == 200)
    #expect(slow.deadlines == [.seconds(20), .seconds(5)])
  }

  /// Takes 15 seconds for each answer.
  private final class SlowTransport: HTTPTransport {
    private let clock: LeapingClock
    private let state: Locked<(statuses: [Int], deadlines: [Duration])>

    init(clock: LeapingClock, answering statuses: [Int]) {
      self.clock = clock
      state = Locked((statuses, []))
    }

    var deadlines: [Duration] { state.withLock { $0.deadlines } }

    func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
      clock.advance(by: .seconds(15))
      let answer = state.withLock { state in
        state.deadlines.append(limits.deadline)
        return LocalResponse(status: state.statuses.removeFirst())
      }
      return try answer.answer(to: request.url)
    }
  }

  @Test(
    "An origin is known in any spelling",
    arguments: ["https://API.example.com:443/other?x=1", "HTTPS://api.example.com"])
  func knowsAnOriginInAnySpelling(text: String) async throws {
    let canned = CannedTransport(statuses: 200)
    #expect(try await authorized(canned).answer(to: URLRequest(url: try url(text))).status == 200)
  }

  @Test(
    "A refused token is replaced once",
    arguments: [
      nil, "Bearer", "Bearer realm=\"Users\"", "Bearer error=\"invalid_token\"", "error=invalid_token",
      "Basic realm=\"x\"", "Bearer realm=\"\", Basic realm=\"x\", Bearer error=\"invalid_token\"",
    ])
  func replacesARefusedTokenOnce(challenge: String?) async throws {
    let canned = CannedTransport(refusal(challenge), LocalResponse(status: 201))
    let response = try await authorized(canned).answer(
      to: URLRequest(method: "POST", url: try url(), body: Data([1])))
    #expect(response.status == 201)
    #expect(tokens.asked == [nil, Secret("token-1")])
    #expect(
      canned.requests.map { $0.value(forHTTPHeaderField: "Authorization") } == ["Bearer token-1", "Bearer token-2"])
    #expect(canned.requests.map(\.httpBody) == [Data([1]), Data([1])])
  }

  @Test("A token that was refused is not sent again, and no new one is spoken of")
  func onlyOneToken() async throws {
    let canned = CannedTransport(refusal("Bearer error=\"invalid_token\""), LocalResponse(status: 200))
    let tokens = CannedTokens("only-token")
    let transport = try authorized(canned, tokens: tokens.source)
    let request = URLRequest(method: "POST", url: try url())
    let error = try await #require(throws: ConnectorError.self) { try await transport.answer(to: request) }
    #expect(error.code == .unauthorized && error.status == 401 && error.oauthError == "invalid_token")
    #expect(error.message == "The API answered 401 (invalid_token), and there is no newer token to send.")
    // The session may have ended, which only a forced refresh or a sign-in shows.
    #expect(error.recoverySuggestion?.contains("although it is new") == true)
    #expect(error.recoverySuggestion?.contains("forceRefresh") == true)
    #expect(canned.requests.count == 1)
    #expect(tokens.asked == [nil, Secret("only-token")])
  }

  @Test("Nothing is sent again with a token of another user", arguments: ["bob", nil] as [String?])
  func anotherUser(user: String?) async throws {
    let canned = CannedTransport(statuses: 401, 200)
    let transport = try authorized(
      canned, tokens: { $0 == nil ? (Secret("token-of-alice"), "alice") : (Secret("another-token"), user) })
    let request = URLRequest(url: try url())
    await expectError(ConnectorError.self, .unauthorized) { try await transport.answer(to: request) }
    #expect(canned.requests.map { $0.value(forHTTPHeaderField: "Authorization") } == ["Bearer token-of-alice"])
  }

  private static let scope = #"Bearer error="insufficient_scope", scope="tasks.read tasks.write""#
  private static let claims =
    #"Bearer realm="", authorization_uri="https://login.example.com/authorize", error="insufficient_claims", "#
    + #"claims="eyJhY2Nlc3NfdG9rZW4iOnsiYWNycyI6bnVsbH19""#
  private static let expired = #"Bearer realm="Users", error="invalid_token", error_description="audience""#

  /// The status and challenge of each answer, and the code and OAuth error that they mean.
  static let refusals: [([(Int, String?)], ErrorCode, String)] = [
    ([(401, scope)], .insufficientScope, "insufficient_scope"),
    ([(403, scope)], .insufficientScope, "insufficient_scope"),
    ([(401, claims)], .claimsRequired, "insufficient_claims"),
    ([(403, claims)], .claimsRequired, "insufficient_claims"),
    ([(401, nil), (401, scope)], .insufficientScope, "insufficient_scope"),
    ([(401, nil), (401, expired)], .unauthorized, "invalid_token"),
  ]

  @Test("The last challenge says what is missing, and nothing is sent after it", arguments: refusals.indices)
  func lastChallenge(_ index: Int) async throws {
    let (answers, code, oauthError) = Self.refusals[index]
    let refused = answers.map { CannedTransport.Outcome.success(refusal($0.1, status: $0.0)) }
    let canned = CannedTransport(refused + [.success(LocalResponse(status: 200))])
    let transport = try authorized(canned)
    let request = URLRequest(url: try url())
    let error = try await #require(throws: ConnectorError.self) { try await transport.answer(to: request) }
    #expect(error.code == code && error.status == answers.last?.0 && error.oauthError == oauthError)
    #expect(code != .insufficientScope || "\(error)".contains("tasks.read tasks.write"))
    #expect(error.claims == (code == .claimsRequired ? #"{"access_token":{"acrs":null}}"# : nil))
    #expect(canned.requests.count == answers.count && tokens.asked.count == answers.count)
  }

  @Test("Every other response is returned unchanged", arguments: [200, 204, 302, 400, 403, 404, 409, 407])
  func givesEveryOtherAnswerAsItIs(status: Int) async throws {
    let canned = CannedTransport(statuses: status)
    #expect(try await authorized(canned).answer(to: URLRequest(url: try url())).status == status)
    #expect(canned.requests.count == 1)
  }

  @Test("Faults are retried before and after a refusal")
  func faults() async throws {
    let canned = CannedTransport(statuses: 503, 401, 429, 200)
    #expect(try await authorized(canned).answer(to: URLRequest(url: try url())).status == 200)
    #expect(tokens.asked == [nil, Secret("token-1")])
  }

  @Test("A deletion is repeated only if it is marked as idempotent")
  func deletion() async throws {
    let request = URLRequest(method: "DELETE", url: try url())
    #expect(try await authorized(CannedTransport(statuses: 503, 204)).answer(to: request).status == 503)
    var history = RequestHistory()
    let marked = try authorized(CannedTransport(statuses: 503, 204))
    #expect(try await marked.send(request, limits: .standard, isIdempotent: true, noting: &history).1.statusCode == 204)
  }

  @Test("An error of the source of tokens is passed on")
  func noToken() async throws {
    struct SignedOut: Error {}
    let canned = CannedTransport(statuses: 200)
    let transport = try authorized(canned, tokens: { _ in throw SignedOut() })
    await #expect(throws: SignedOut.self) { try await transport.answer(to: URLRequest(url: try url())) }
    #expect(canned.requests.isEmpty)
  }

  /// A server that refuses the first token, but only when all callers have come with it.
  private struct RefusingFirst: HTTPTransport {
    let gate: TestGate
    let sent = Locked<[String: Int]>([:])

    func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
      let token = request.value(forHTTPHeaderField: "Authorization") ?? ""
      sent.withLock { $0[token, default: 0] += 1 }
      guard token == "Bearer token-1" else { return try LocalResponse(status: 200).answer(to: request.url) }
      try await gate.wait()
      return try LocalResponse(status: 401, headers: ["WWW-Authenticate": "Bearer error=\"invalid_token\""])
        .answer(to: request.url)
    }
  }

  @Test("A thousand callers each name the refused token and repeat once")
  func manyCallers() async throws {
    let server = RefusingFirst(gate: TestGate())
    let transport = try authorized(server)
    let request = URLRequest(method: "POST", url: try url())
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<1000 {
        group.addTask { try await transport.answer(to: request).status }
      }
      await server.gate.waitForArrivals(1000)
      server.gate.open()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == [Int](repeating: 200, count: 1000))
    #expect(server.sent.withLock { $0 } == ["Bearer token-1": 1000, "Bearer token-2": 1000])
    #expect(tokens.asked.count { $0 == nil } == 1000)
    #expect(tokens.asked.count { $0 == Secret("token-1") } == 1000)
  }

  @Test("An error shows no token, body or query")
  func secrets() async throws {
    let canned = CannedTransport(
      LocalResponse(status: 401), LocalResponse(status: 401, body: Data("canary-body".utf8)))
    let transport = try authorized(canned)
    let request = URLRequest(url: try url("https://api.example.com/tasks?code=canary-query"))
    let error = await #expect(throws: ConnectorError.self) { try await transport.answer(to: request) }
    var dumped = ""
    dump(error, to: &dumped)
    let shown = "\(String(describing: error)) \(String(reflecting: error)) \(dumped)"
    #expect(!shown.contains("canary"))
    #expect(!shown.contains("token-1"))
  }
}
