import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit)
struct AuthorizedTransportTests {
  private let tokens = CannedTokens()

  private func authorized(
    _ transport: any HTTPTransport, tokens: BearerTokens? = nil, at allowed: String = "https://api.example.com",
    clock: LeapingClock = LeapingClock()
  ) throws -> AuthorizedTransport {
    let origin = try #require(URL(string: allowed).flatMap { Origin($0) })
    return AuthorizedTransport(
      RetryingTransport(transport: transport, clock: clock), tokens: tokens ?? self.tokens.source,
      allowedOrigins: [origin])
  }

  private func request(
    _ method: String = "GET", _ url: String = "https://api.example.com/tasks", body: Data? = nil
  ) throws -> URLRequest {
    URLRequest(method: method, url: try #require(URL(string: url)), body: body)
  }

  private func refusal(_ challenge: String? = nil, status: Int = 401) -> LocalResponse {
    LocalResponse(
      status: status, headers: challenge.map { ["WWW-Authenticate": $0] } ?? [:], body: Data("canary-body".utf8))
  }

  @Test("The token replaces another Authorization field")
  func attachesTheToken() async throws {
    let canned = CannedTransport(statuses: 200)
    var request = try request("POST")
    request.allHTTPHeaderFields = ["authorization": "Basic other", "Accept": "text/plain"]
    _ = try await authorized(canned).answer(to: request)
    #expect(canned.authorizations == ["Bearer token-1"] && tokens.asked == [nil])
    #expect(canned.requests.first?.value(forHTTPHeaderField: "Accept") == "text/plain")
  }

  @Test("A token that no header field can carry is refused")
  func unusableToken() async throws {
    let canned = CannedTransport(statuses: 200)
    let transport = try authorized(canned, tokens: CannedTokens("a\r\nX-Injected: 1").source)
    await expectError(ConnectorError.self, .configuration) { try await transport.answer(to: request()) }
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
    let (transport, request) = (try authorized(canned), try request("GET", text))
    await expectError(ConnectorError.self, .originNotAllowed) { try await transport.answer(to: request) }
    await expectError(ConnectorError.self, .originNotAllowed) { try await transport.authorized(request) }
    #expect(tokens.asked.isEmpty && canned.requests.isEmpty)
  }

  @Test(
    "A token never leaves in plain text, except to this machine, whatever the allowed origins say",
    arguments: [
      ("http://api.example.com/", false), ("http://192.168.0.1:8080/", false), ("http://127.0.0.1.example.com/", false),
      ("http://127.0.0.1:8080/", true), ("http://localhost/", true), ("http://[::1]/", true),
    ])
  func plainText(text: String, isAllowed: Bool) async throws {
    let canned = CannedTransport(statuses: 200)
    let (transport, request) = (try authorized(canned, at: text), try request("GET", text))
    if isAllowed {
      #expect(try await transport.authorized(request).value(forHTTPHeaderField: "Authorization") == "Bearer token-1")
    } else {
      await expectError(ConnectorError.self, .originNotAllowed) { try await transport.authorized(request) }
      await expectError(ConnectorError.self, .originNotAllowed) { try await transport.answer(to: request) }
    }
    #expect(canned.requests.isEmpty && tokens.asked == (isAllowed ? [nil] : []))
  }

  @Test("The second try after a 401 gets the rest of the deadline")
  func restOfTheDeadline() async throws {
    let clock = LeapingClock()
    let slow = CannedTransport([401, 200].map { .success(refusal(status: $0)) }, each: .seconds(15), on: clock)
    let transport = try authorized(slow, clock: clock)
    let limits = TransportLimits(deadline: .seconds(20))
    #expect(try await transport.answer(to: request(), limits: limits).status == 200)
    #expect(slow.limits.map(\.deadline) == [.seconds(20), .seconds(5)])
  }

  @Test(
    "A refused token is replaced once",
    arguments: [
      nil, "Bearer", #"Bearer realm="Users""#, #"Bearer error="invalid_token""#, "error=invalid_token",
      #"Basic realm="x""#, #"Bearer realm="", Basic realm="x", Bearer error="invalid_token""#,
    ])
  func replacesARefusedTokenOnce(challenge: String?) async throws {
    let canned = CannedTransport(refusal(challenge), LocalResponse(status: 201))
    #expect(try await authorized(canned).answer(to: request("POST", body: Data([1]))).status == 201)
    #expect(tokens.asked == [nil, Secret("token-1")])
    #expect(canned.authorizations == ["Bearer token-1", "Bearer token-2"])
    #expect(canned.requests.map(\.httpBody) == [Data([1]), Data([1])])
  }

  @Test("A token that was refused is not sent again, and no new one is spoken of")
  func onlyOneToken() async throws {
    let canned = CannedTransport(refusal(#"Bearer error="invalid_token""#), LocalResponse(status: 200))
    let tokens = CannedTokens("only-token")
    let transport = try authorized(canned, tokens: tokens.source)
    let error = try await #require(throws: ConnectorError.self) { try await transport.answer(to: request("POST")) }
    #expect(error.code == .unauthorized && error.status == 401 && error.oauthError == "invalid_token")
    #expect(error.message == "The API answered 401 (invalid_token), and there is no newer token to send.")
    // The session may have ended, which only a forced refresh or a sign-in shows.
    #expect(error.recoverySuggestion?.contains("although it is new") == true)
    #expect(error.recoverySuggestion?.contains("forceRefresh") == true)
    #expect(canned.requests.count == 1 && tokens.asked == [nil, Secret("only-token")])
  }

  @Test("Nothing is sent again with a token of another user", arguments: ["bob", nil] as [String?])
  func anotherUser(user: String?) async throws {
    let canned = CannedTransport(statuses: 401, 200)
    let transport = try authorized(
      canned, tokens: { $0 == nil ? (Secret("token-of-alice"), "alice") : (Secret("another-token"), user) })
    await expectError(ConnectorError.self, .unauthorized) { try await transport.answer(to: request()) }
    #expect(canned.authorizations == ["Bearer token-of-alice"])
  }

  private static let scope = #"Bearer error="insufficient_scope", scope="tasks.read tasks.write""#
  private static let claims =
    #"Bearer realm="", authorization_uri="https://login.example.com/authorize", error="insufficient_claims", "#
    + #"claims="eyJhY2Nlc3NfdG9rZW4iOnsiYWNycyI6bnVsbH19""#
  private static let expired = #"Bearer realm="Users", error="invalid_token", error_description="audience""#

  /// The status and challenge of each answer, the code and OAuth error that they mean, and some words of the error.
  static let refusals: [([(Int, String?)], ErrorCode, String, String)] = [
    ([(401, scope)], .insufficientScope, "insufficient_scope", "the scope “tasks.read tasks.write”"),
    ([(403, scope)], .insufficientScope, "insufficient_scope", "the scope “tasks.read tasks.write”"),
    ([(401, claims)], .claimsRequired, "insufficient_claims", "with more claims"),
    ([(403, claims)], .claimsRequired, "insufficient_claims", "with more claims"),
    ([(401, nil), (401, scope)], .insufficientScope, "insufficient_scope", "the scope “tasks.read tasks.write”"),
    ([(401, nil), (401, expired)], .unauthorized, "invalid_token", "401 (invalid_token) to a new token too."),
  ]

  @Test(
    "The last challenge says what is missing, nothing is sent after it, and no token, body or query is shown",
    arguments: refusals.indices)
  func lastChallenge(_ index: Int) async throws {
    let (answers, code, oauthError, words) = Self.refusals[index]
    let refused = answers.map { CannedTransport.Outcome.success(refusal($0.1, status: $0.0)) }
    let canned = CannedTransport(refused + [.success(LocalResponse(status: 200))])
    let transport = try authorized(canned)
    let request = try request("GET", "https://api.example.com/tasks?code=canary-query")
    let error = try await #require(throws: ConnectorError.self) { try await transport.answer(to: request) }
    let status = try #require(answers.last).0
    #expect(error.code == code && error.status == status && error.oauthError == oauthError)
    #expect(error.message.contains(words), "\(error)")
    #expect("\(error)".contains("(GET https://api.example.com/tasks, status \(status))"), "\(error)")
    #expect(error.claims == (code == .claimsRequired ? #"{"access_token":{"acrs":null}}"# : nil))
    #expect(canned.requests.count == answers.count && tokens.asked.count == answers.count)
    var shown = "\(error) \(String(reflecting: error))"
    dump(error, to: &shown)
    #expect(!shown.contains("canary") && !shown.contains("token-1"))
  }

  @Test(
    "Faults are retried before and after a refusal, of a change only if it is marked as idempotent",
    arguments: [("GET", nil, 200), ("DELETE", true, 200), ("DELETE", nil, 503)] as [(String, Bool?, Int)])
  func faults(method: String, isIdempotent: Bool?, status: Int) async throws {
    let transport = try authorized(CannedTransport(statuses: 503, 401, 503, 200))
    var history = RequestHistory()
    let (_, response) = try await transport.send(
      request(method), limits: .standard, isIdempotent: isIdempotent, noting: &history)
    #expect(response.statusCode == status && tokens.asked == (status == 200 ? [nil, Secret("token-1")] : [nil]))
  }
}
