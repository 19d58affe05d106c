import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit)
struct RetryingTransportTests {
  private let clock = LeapingClock()

  private func retrying(_ transport: CannedTransport, _ policy: RetryPolicy = RetryPolicy()) -> RetryingTransport {
    RetryingTransport(transport: transport, policy: policy, clock: clock)
  }

  private func request(_ method: String = "GET") throws -> URLRequest {
    URLRequest(method: method, url: try #require(URL(string: "https://api.example.com/")))
  }

  /// Sends a request, and returns its status or `nil` for an error, and whether something may have been changed.
  private func send(
    _ method: String, over transport: CannedTransport, _ policy: RetryPolicy = RetryPolicy(), isIdempotent: Bool? = nil
  ) async throws -> (status: Int?, isUnknown: Bool) {
    var history = RequestHistory()
    do {
      let (_, response) = try await retrying(transport, policy).send(
        request(method), limits: .standard, isIdempotent: isIdempotent, noting: &history)
      return (response.statusCode, history.outcomeIsUnknown)
    } catch is ConnectorError {
      return (nil, history.outcomeIsUnknown)
    }
  }

  private static func status(_ status: Int, retryAfter: String? = nil) -> CannedTransport.Outcome {
    .success(LocalResponse(status: status, headers: retryAfter.map { ["Retry-After": $0] } ?? [:]))
  }

  private static func fault(_ code: URLError.Code) -> CannedTransport.Outcome { .failure(URLError(code)) }

  private static let throttled = [status(429), status(429), status(201), status(200)]

  /// The method, what the server does, the status that the caller gets (or `nil` for an error), and the waits between.
  static let rows: [(String, [CannedTransport.Outcome], Int?, [Int])] = [
    ("GET", [fault(.networkConnectionLost), status(503), status(200)], 200, [1, 2]),
    ("GET", [status(500), status(502), status(503), status(200)], 503, [1, 2]),
    ("GET", [status(500), status(500), fault(.cannotConnectToHost), status(200)], nil, [1, 2]),
    ("POST", throttled, 201, [1, 2]), ("PUT", throttled, 201, [1, 2]), ("PATCH", throttled, 201, [1, 2]),
    ("DELETE", throttled, 201, [1, 2]), ("POST", [status(429, retryAfter: "7"), status(201)], 201, [7]),
    ("POST", [status(429), fault(.networkConnectionLost), status(201)], nil, [1]),
    ("POST", [status(429), status(503), status(201)], 503, [1]),
    ("POST", [fault(.cannotConnectToHost), status(200)], nil, []),
    ("POST", [fault(.networkConnectionLost), status(200)], nil, []),
    ("POST", [fault(.timedOut), status(200)], nil, []), ("POST", [fault(.cannotParseResponse), status(200)], nil, []),
    // A transport that cancels a request by itself has failed.
    ("GET", [.failure(CancellationError()), status(200)], nil, []),
  ]

  @Test("A GET is repeated after a fault that may pass, and a change only if it was throttled", arguments: rows.indices)
  func repeats(_ index: Int) async throws {
    let (method, outcomes, expected, waits) = Self.rows[index]
    let canned = CannedTransport(outcomes)
    #expect(try await send(method, over: canned).status == expected)
    #expect(clock.sleeps == waits.map { .seconds($0) } && canned.requests.count == waits.count + 1)
  }

  @Test(
    "A change that may have been made is sent once",
    arguments: ["POST", "PUT", "PATCH", "DELETE"], [408, 500, 502, 503, 504])
  func sendsOnceWhatMayNotBeRepeated(method: String, status: Int) async throws {
    let canned = CannedTransport(statuses: status, 200)
    #expect(try await send(method, over: canned).status == status && canned.requests.count == 1)
  }

  @Test(
    "A request that is marked as idempotent is repeated",
    arguments: [("PUT", true), ("DELETE", true), ("POST", true), ("GET", false)])
  func repeatsWhatIsMarked(method: String, isIdempotent: Bool) async throws {
    let canned = CannedTransport(statuses: 503, 200)
    let (status, isUnknown) = try await send(method, over: canned, isIdempotent: isIdempotent)
    #expect(status == (isIdempotent ? 200 : 503) && isUnknown == isIdempotent)
  }

  @Test("No wait outlasts the deadline", arguments: [("GET", 503), ("POST", 429)])
  func letsTheDeadlineWinOverAWait(method: String, status: Int) async throws {
    let canned = CannedTransport([Self.status(status, retryAfter: "5"), Self.status(200)])
    let limits = TransportLimits(deadline: .seconds(5))
    #expect(try await retrying(canned).answer(to: request(method), limits: limits).status == status)
    #expect(clock.sleeps.isEmpty)
  }

  @Test("Each try gets the rest of the deadline")
  func restOfTheDeadline() async throws {
    let canned = CannedTransport([Self.status(503, retryAfter: "5"), Self.status(200)])
    _ = try await retrying(canned).answer(to: request(), limits: TransportLimits(deadline: .seconds(12)))
    #expect(canned.limits.map(\.deadline) == [.seconds(12), .seconds(7)])
  }

  @Test("If the process stood still until after the deadline, no further try begins")
  func pausedProcess() async throws {
    let canned = CannedTransport(statuses: 503, 200)
    let retrying = RetryingTransport(transport: canned, clock: LeapingClock(oversleeping: .seconds(60)))
    #expect(try await retrying.answer(to: request()).status == 503)
    #expect(canned.requests.count == 1)
  }

  static let unclearStatuses = [301, 302, 303, 307, 308, 408, 500, 502, 503, 504, 599]
  static let clearStatuses = [200, 201, 204, 304, 400, 401, 403, 404, 409, 413, 429, 501, 505]

  @Test(
    "After a fault of the server or a redirect, the outcome of a change is unknown, and otherwise it is known",
    arguments: unclearStatuses + clearStatuses, ["POST", "PUT", "PATCH", "DELETE", "GET", "HEAD", "OPTIONS"])
  func unknownStatus(status: Int, method: String) async throws {
    let isUnclear = Self.unclearStatuses.contains(status) && !["GET", "HEAD", "OPTIONS"].contains(method)
    #expect(try await send(method, over: CannedTransport(statuses: status), .none).isUnknown == isUnclear)
  }

  @Test(
    "An error leaves the outcome of a change unknown, unless nothing was sent",
    arguments: [
      (URLError(.cannotConnectToHost), false), (URLError(.notConnectedToInternet), false),
      (URLError(.cannotFindHost), false), (URLError(.secureConnectionFailed), false), (URLError(.badURL), false),
      (URLError(.unknown), true),
      (ConnectorError(.configuration, ""), false), (ConnectorError(.network, ""), true),
      (URLError(.serverCertificateUntrusted), false), (URLError(.cancelled), true),
      (URLError(.networkConnectionLost), true), (URLError(.timedOut), true),
      (URLError(.dataLengthExceedsMaximum), true), (URLError(.cannotParseResponse), true),
      (CocoaError(.fileNoSuchFile), true), (CancellationError(), true),
    ] as [(any Error, Bool)])
  func unknownAfterAnError(error: any Error, isUnknown: Bool) async throws {
    for method in ["POST", "GET"] {
      let outcome = try await send(method, over: CannedTransport([.failure(error)]), .none)
      #expect(outcome.status == nil && outcome.isUnknown == (isUnknown && method == "POST"))
    }
  }

  @Test("An outcome that became unknown stays so, whatever a later try is answered")
  func unknownAfterARepeat() async throws {
    let outcome = try await send("PUT", over: CannedTransport(statuses: 502, 401), isIdempotent: true)
    #expect(outcome.status == 401 && outcome.isUnknown)
  }

  @Test("An answer over the limit is an error, though an app's transport lets it pass")
  func tooLarge() async throws {
    let (sent, limits) = (try request(), TransportLimits(maximumBodyBytes: 3))
    let fitting = CannedTransport(LocalResponse(status: 200, body: Data("abc".utf8)))
    #expect(try await retrying(fitting).answer(to: sent, limits: limits).body.count == 3)
    let excess = retrying(CannedTransport(LocalResponse(status: 200, body: Data("abcd".utf8))))
    await expectError(ConnectorError.self, .tooLarge) { try await excess.answer(to: sent, limits: limits) }
  }

  @Test("A wait between tries ends with its task")
  func cancelledWait() async throws {
    let clock = TestClock(advancesItself: false)
    let canned = CannedTransport(statuses: 503, 200)
    let (retrying, request) = (RetryingTransport(transport: canned, clock: clock), try request())
    let call = Task { try await retrying.answer(to: request) }
    await clock.waitForSleepers()
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(canned.requests.count == 1)
  }
}
