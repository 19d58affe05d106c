import B2CTokenCache
import Foundation
import Testing

/// Which of two moments was the later one, whatever a clock was set to between them.
@Suite struct SignInDatesTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The device's and the server's time of each moment, in seconds.
    let first: [Double]
    let second: [Double]
  }

  static let rows = [
    Row(testDescription: "a right clock", first: [0, 0], second: [60, 60]),
    Row(testDescription: "a clock that is wrong all the time", first: [3_600, 0], second: [3_660, 60]),
    Row(testDescription: "a clock that was set back", first: [3_600, 0], second: [60, 60]),
    Row(testDescription: "a clock that was set ahead", first: [0, 0], second: [3_660, 60]),
    Row(testDescription: "the same second of the server's", first: [3_600, 0], second: [3_600.2, 0]),
    Row(testDescription: "a server's time that was measured late", first: [1.5, 1.5], second: [3.7, 1.1]),
    Row(testDescription: "a month with a slow clock", first: [0, 0], second: [2_591_940, 2_592_000]),
  ]

  @Test("A moment is after another by the clock that tells", arguments: rows)
  func order(_ row: Row) {
    let moments = [row.first, row.second].map {
      SignInDates(device: Date(timeIntervalSince1970: $0[0]), server: Date(timeIntervalSince1970: $0[1]))
    }
    #expect(moments[1].isAfter(moments[0]))
    #expect(!moments[0].isAfter(moments[1]))
    #expect(!moments[0].isAfter(moments[0]))
  }
}
