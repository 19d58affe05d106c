/// The bound on combining marks in text from outside.
///
/// Swift puts the marks that follow a letter in order each time it hashes or compares a text, and that takes the square of
/// their number. No language writes more than a few of them, and Unicode's Stream-Safe Text Format allows 30 (UAX #15
/// section 13).
package enum CombiningMarks {
  /// The most marks that may follow one another.
  package static let maximumRun = 30

  /// Returns a text without the marks that are too many.
  package static func cut(_ text: String) -> String {
    // The first byte of a mark is at least 0xCC, so that nearly every text is decided here.
    guard text.utf8.count > 2 * maximumRun, text.utf8.contains(where: { $0 >= 0xCC }) else { return text }
    var run = 0
    let kept = text.unicodeScalars.filter { scalar in
      run = isMark(scalar) ? run + 1 : 0
      return run <= maximumRun
    }
    return String(kept)
  }

  /// Whether more marks follow one another than are allowed.
  package static func areTooMany(in text: String) -> Bool { cut(text).utf8.count < text.utf8.count }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // These count as letters, but each is short for two marks.
    case 0xF73, 0xF75, 0xF81: true
    default: scalar.properties.canonicalCombiningClass != .notReordered
    }
  }
}
