/// The bound on combining marks that follow each other in text from outside.
package enum CombiningMarks {
  /// As many as the Stream-Safe Text Format allows (UAX #15 section 13).
  package static let maximumRun = 30

  /// Whether a text has a longer run: to compare and hash strings, Swift sorts each run in quadratic time.
  package static func haveLongRun(in text: String) -> Bool {
    var run = 0
    for scalar in text.unicodeScalars {
      run = scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered ? run + 1 : 0
      if run > maximumRun { return true }
    }
    return false
  }
}
