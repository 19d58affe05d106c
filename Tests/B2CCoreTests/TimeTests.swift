import B2CCore
import Testing

@Suite("Times") struct TimeTests {
  @Test("An instant is read from both forms and written in both", arguments: TimeRows.instants)
  func instants(_ row: TimeRows.Instant) {
    #expect(TimeRows.faults(of: row).isEmpty)
  }

  @Test("Other forms of a time are read, and what is not one is refused", arguments: TimeRows.readings)
  func readings(_ text: String, _ seconds: Double?) {
    #expect(TimeRows.reads(text, seconds))
  }

  @Test("A time is written to the millisecond, within the years 0000 to 9999", arguments: TimeRows.writings)
  func writings(_ seconds: Double, _ text: String) {
    #expect(TimeRows.writes(seconds, text))
  }

  @Test("A distance is said in whole seconds", arguments: TimeRows.distances)
  func distances(_ seconds: Double, _ text: String) {
    #expect(TimeRows.says(seconds, text))
  }

  @Test("A header field before the year 0000 or after 9999 has the nearest date that fits")
  func limits() {
    #expect(HTTPTime.text(from: .max) == "Fri, 31 Dec 9999 23:59:59 GMT")
    #expect(HTTPTime.text(from: .min) == "Sat, 01 Jan 0000 00:00:00 GMT")
  }
}
