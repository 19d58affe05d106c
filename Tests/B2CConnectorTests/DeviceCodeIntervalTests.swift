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
  /// What the token endpoint does to one poll.
  enum Poll: Sendable {
    case lost
    case timedOut
    case answer(Int, String, retryAfter: String? = nil)

    static func pending(retryAfter: String? = nil) -> Poll {
      .answer(400, "authorization_pending", retryAfter: retryAfter)
    }
    static let slowDown = Poll.answer(400, "slow_down")

    func response() throws -> LocalResponse {
      switch self {
      case .lost: throw URLError(.networkConnectionLost)
      case .timedOut: throw URLError(.timedOut)
      case .answer(let status, let error, let retryAfter):
        let body = error.isEmpty ? "" : #"{"error":"\#(error)"}"#
        return LocalResponse(
          status: status, headers: retryAfter.map { ["Retry-After": $0] } ?? [:], body: Data(body.utf8))
      }
    }
  }

  /// Signs in with a device code, and returns the seconds before each poll and before the end.
  private func waits(_ polls: [Poll], _ code: ErrorCode) async throws -> [Int] {
    let scene = Scene(shape: .openIDConnect, holdsTime: true)
    let (left, clock) = (Locked(polls), scene.clock)
    let times = Recorder<Date>()
    times.record(clock.date)
    scene.transport.intercept { request in
      guard request.isTokenRequest else { return nil }
      times.record(clock.date)
      return try left.withLock { $0.isEmpty ? Poll.answer(400, "access_denied") : $0.removeFirst() }.response()
    }
    let connector = try scene.connector()
    await expectError(ConnectorError.self, code) {
      try await scene.passingTime { try await connector.signInWithDeviceCode { _ in } }
    }
    times.record(clock.date)
    return zip(times.values, times.values.dropFirst()).map { Int($1.timeIntervalSince($0).rounded()) }
  }

  static let rows: [(polls: [Poll], waits: [Int])] = [
    ([.pending(), .pending()], [5, 5, 5]),
    ([.slowDown, .pending(), .slowDown], [5, 10, 10, 15]),
    ([.lost, .lost, .pending()], [5, 10, 20, 20]),
    ([.timedOut, .slowDown, .lost], [5, 10, 15, 30]),
    ([.answer(503, "")], [5, 10]),
    // Doubled up to a minute.
    ([.lost, .lost, .lost, .lost, .lost], [5, 10, 20, 40, 60, 60]),
    ([.pending(retryAfter: "880"), .pending()], [5, 880, 5]),
    // The longer of the two, once.
    ([.answer(429, "", retryAfter: "60"), .pending()], [5, 60, 10]),
    ([.answer(429, "slow_down", retryAfter: "2"), .pending()], [5, 10, 10]),
    ([.pending(retryAfter: "30"), .pending()], [5, 30, 5]),
    ([.pending(retryAfter: "soon")], [5, 5]),
  ]

  @Test("Each answer, and each lost connection, changes the interval as it should", arguments: rows)
  func interval(_ row: (polls: [Poll], waits: [Int])) async throws {
    // The last poll ends the sign-in at once.
    #expect(try await waits(row.polls, .userCancelledInPage).dropLast() == row.waits[...])
  }

  @Test(
    "A wait beyond the code's end ends with it, without another poll", arguments: ["100000", "99999999999999999999"])
  func beyondTheEnd(_ retryAfter: String) async throws {
    let waits = try await waits([.answer(429, "slow_down", retryAfter: retryAfter)], .timedOut)
    #expect(waits.count == 2 && (895...905).contains(waits[0] + waits[1]))
  }
}
