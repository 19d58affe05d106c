internal import B2CCore
internal import Foundation

/// Text for the user of a command line.
enum StandardError {
  /// Writes a text as it is; a full disk or a closed descriptor is ignored.
  static func write(_ text: String) {
    // Losing a line of a log is no reason to end the process.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
