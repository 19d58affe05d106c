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

/// RFC 8628 section 3.5: how often a device may ask.
@Suite("The polling interval of a device code", .hangLimit)
struct DeviceCodeIntervalTests {
  private static let grant = "urn:ietf:params:oauth:grant-type:device_code"

  /// What the token endpoint does to one poll.
  enum Poll: Sendable, CustomTestStringConvertible {
    case lost
    case timedOut
    case answer(Int, String, retryAfter: String? = nil)

    var testDescription: String {
      switch self {
      case .lost: "lost"
      case .timedOut: "timed out"
      case .answer(let status, let error, let retryAfter): "\(status) \(error) \(retryAfter ?? "")"
      }
    }

    static let pending = Poll.answer(400, "authorization_pending")
    static let slowDown = Poll.answer(400, "slow_down")
    static func pending(retryAfter: String) -> Poll { .answer(400, "authorization_pending", retryAfter: retryAfter) }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let polls: [Poll]
    /// The seconds before each of these polls and before the next.
    let waits: [Int]
    var testDescription: String { polls.map(\.testDescription).joined(separator: ", ") }
  }

  static let rows: [Row] = [
    Row(polls: [.pending, .pending], waits: [5, 5, 5]),
    Row(polls: [.slowDown, .pending, .slowDown], waits: [5, 10, 10, 15]),
    Row(polls: [.lost, .lost, .pending], waits: [5, 10, 20, 20]),
    Row(polls: [.timedOut, .slowDown, .lost], waits: [5, 10, 15, 30]),
    Row(polls: [.answer(503, "")], waits: [5, 10]),
    // Doubled up to a minute.
    Row(polls: [.lost, .lost, .lost, .lost, .lost], waits: [5, 10, 20, 40, 60, 60]),
    Row(polls: [.pending(retryAfter: "880"), .pending], waits: [5, 880, 5]),
    // The longer of the two, once.
    Row(polls: [.answer(429, "", retryAfter: "60"), .pending], waits: [5, 60, 10]),
    Row(polls: [.answer(429, "slow_down", retryAfter: "2"), .pending], waits: [5, 10, 10]),
    Row(polls: [.pending(retryAfter: "30"), .pending], waits: [5, 30, 5]),
    Row(polls: [.pending(retryAfter: "soon")], waits: [5, 5]),
  ]

  /// Plays the polls, and returns the seconds before each of them and the next.
  private func waits(_ polls: [Poll]) async throws -> [Int] {
    let scene = Scene(shape: .openIDConnect, holdsTime: true)
    let left = Locked(polls)
    let times = Recorder<Date>()
    let clock = scene.clock
    scene.transport.intercept { request in
      guard request.isTokenRequest, request.form["grant_type"] == Self.grant else { return nil }
      times.record(clock.date)
      switch left.withLock({ $0.isEmpty ? Poll.answer(400, "access_denied") : $0.removeFirst() }) {
      case .lost: throw URLError(.networkConnectionLost)
      case .timedOut: throw URLError(.timedOut)
      case .answer(let status, let error, let retryAfter):
        var headers: [String: String] = [:]
        if let retryAfter { headers["Retry-After"] = retryAfter }
        let body = error.isEmpty ? "" : #"{"error":"\#(error)"}"#
        return LocalResponse(status: status, headers: headers, body: Data(body.utf8))
      }
    }
    let start = clock.date
    let connector = try scene.connector()
    await expectError(ConnectorError.self, .userCancelledInPage) {
      try await scene.passingTime { try await connector.signInWithDeviceCode { _ in } }
    }
    return zip([start] + times.values, times.values).map { Int($1.timeIntervalSince($0).rounded()) }
  }

  @Test("Each answer, and each lost connection, changes it as it should", arguments: rows)
  func interval(_ row: Row) async throws {
    #expect(try await waits(row.polls) == row.waits)
  }

  @Test(
    "A wait beyond the code's end ends with it, without another poll", arguments: ["100000", "99999999999999999999"])
  func beyondTheEnd(_ retryAfter: String) async throws {
    let scene = Scene(shape: .openIDConnect, holdsTime: true)
    let polls = Recorder<Date>()
    let clock = scene.clock
    scene.transport.intercept { request in
      guard request.isTokenRequest else { return nil }
      polls.record(clock.date)
      return LocalResponse(
        status: 429, headers: ["Retry-After": retryAfter], body: Data(#"{"error":"slow_down"}"#.utf8))
    }
    let start = clock.date
    let connector = try scene.connector()
    await expectError(ConnectorError.self, .timedOut) {
      try await scene.passingTime { try await connector.signInWithDeviceCode { _ in } }
    }
    #expect(polls.values.count == 1)
    #expect((895...905).contains(clock.date.timeIntervalSince(start)))
  }
}
