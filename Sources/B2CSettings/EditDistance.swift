import B2CAuthority
import B2CCore

/// The distance between two words.
enum EditDistance {
  // Longer keys are not a misspelling of any key here.
  private static let limit = 40

  /// Returns the nearest word, if at most two letters or a third of its letters differ.
  static func nearest<Word>(to text: String, among words: [Word], name: (Word) -> String) -> Word? {
    let letters = Array(text.lowercased().unicodeScalars)
    guard (1...limit).contains(letters.count) else { return nil }
    let ranked = words.map { ($0, between(letters, Array(name($0).lowercased().unicodeScalars))) }
    guard let best = ranked.min(by: { $0.1 < $1.1 }) else { return nil }
    return best.1 <= max(2, name(best.0).count / 3) && best.1 < letters.count ? best.0 : nil
  }

  /// Insertions, deletions and substitutions from one word to the other.
  private static func between(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let substituted = diagonal + (letter == right[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(substituted, diagonal + 1, row[column] + 1)
      }
    }
    return row[right.count]
  }
}
