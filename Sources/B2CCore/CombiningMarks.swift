/// The limit for combining marks in text from outside.
///
/// Swift sorts the marks after a letter each time it hashes or compares a text, and the time for that grows with the
/// square of their number. No language uses more than a few, and Unicode's Stream-Safe Text Format allows 30 (UAX #15
/// section 13).
package enum CombiningMarks {
  /// The largest number of marks in a row.
  package static let maximumRun = 30

  /// Returns a text without the marks over the limit.
  package static func cut(_ text: String) -> String {
    // The first byte of a mark is at least 0xCC, so nearly every text returns here.
    guard text.utf8.count > 2 * maximumRun, text.utf8.contains(where: { $0 >= 0xCC }) else { return text }
    var run = 0
    let kept = text.unicodeScalars.filter { scalar in
      run = isMark(scalar) ? run + 1 : 0
      return run <= maximumRun
    }
    return String(kept)
  }

  /// Whether a text has more marks in a row than the limit.
  package static func areTooMany(in text: String) -> Bool { cut(text).utf8.count < text.utf8.count }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // These have no combining class of their own, but normalization replaces each of them by two marks.
    case 0xF73, 0xF75, 0xF81: true
    default: scalar.properties.canonicalCombiningClass != .notReordered
    }
  }
}
