/// How much a settings file may ask for.
enum Limits {
  /// Bytes of a file: many times what the longest real one needs.
  static let bytes = 65_536
  /// Lists and dictionaries in each other.
  static let nesting = 32
  /// Values and characters that a binary file may unfold to, since it can refer to one value many times.
  static let unfolded = 262_144
  /// Problems, and warnings, that are reported; the rest would be of the same kind.
  static let findings = 100
  /// Characters of a value that are shown.
  static let shownCharacters = 100
}
