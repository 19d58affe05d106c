import B2CCore
import Testing

@Suite struct CivilDateTests {
  @Test(
    "A day has its distance to 1970-01-01, and back",
    arguments: [
      (1970, 1, 1, 0), (1969, 12, 31, -1), (2000, 2, 29, 11_016), (2000, 3, 1, 11_017), (1900, 3, 1, -25_508),
      (2026, 11, 21, 20_778), (0, 3, 1, -719_468), (-1, 12, 31, -719_529), (9999, 12, 31, 2_932_896),
    ])
  func distance(_ year: Int64, _ month: Int64, _ day: Int64, _ days: Int64) throws {
    let date = try #require(CivilDate(year: year, month: month, day: day))
    #expect(date.daysSince1970 == days)
    #expect(CivilDate(daysSince1970: days) == date)
  }

  @Test("Consecutive distances are consecutive days, over 800 years")
  func consecutive() throws {
    var last = CivilDate(daysSince1970: -146_097)
    for days in Int64(-146_096)..<146_097 {
      let date = CivilDate(daysSince1970: days)
      let isNext =
        date.day == last.day + 1 && date.month == last.month && date.year == last.year
        || date.day == 1 && (date.month == last.month + 1 && date.year == last.year)
        || date.day == 1 && date.month == 1 && last.month == 12 && last.day == 31 && date.year == last.year + 1
      if !isNext || date.daysSince1970 != days { Issue.record("\(date) after \(last)") }
      last = date
    }
    #expect(last.year == 2369)
  }

  @Test(
    "Days that the calendar does not have are refused",
    arguments: [(2015, 2, 29), (1900, 2, 29), (2015, 4, 31), (2015, 0, 1), (2015, 13, 1), (2015, 1, 0), (2015, 1, 32)])
  func impossible(_ year: Int64, _ month: Int64, _ day: Int64) {
    #expect(CivilDate(year: year, month: month, day: day) == nil)
  }
}
