internal import B2CCore
package import Foundation

/// The dates of tasks, in ISO 8601.
package enum TaskDate {
  /// Reads `2015-11-19T22:57:04.250Z`; `nil` when the text is not one.
  package static func date(from text: String) -> Date? {
    Dates.internet(text)
  }

  /// Writes a date as JavaScript's `toISOString` does, in UTC with milliseconds.
  static func text(from date: Date) -> String {
    Dates.internet(date)
  }
}
