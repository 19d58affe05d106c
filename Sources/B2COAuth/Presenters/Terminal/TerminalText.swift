internal import Foundation

/// Where the text for a person at a terminal goes.
public enum TerminalText {
  /// Writes a line to standard error, which leaves standard output to the program's results.
  public static let standardError: @Sendable (String) -> Void = { line in
    write(line + "\n")
  }

  /// Writes a text to standard error as it is.
  static let standardErrorRaw: @Sendable (String) -> Void = { text in
    write(text)
  }

  private static func write(_ text: String) {
    // A closed terminal is no reason to stop.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
