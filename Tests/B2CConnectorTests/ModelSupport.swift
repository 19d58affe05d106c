import Foundation
import Observation
import TestSupport

/// The directory of the package, for the tests of its guides.
let packageDirectory = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// The lines of a file without indentation and comments, from the first that begins with a text to the next one that
/// begins with another text.
func lines(of file: URL, from first: String, to last: String) throws -> [String] {
  let all = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n").map { line in
    (line.components(separatedBy: "  //").first ?? "").trimmingCharacters(in: .whitespaces)
  }
  let start = try require(all.firstIndex { $0.hasPrefix(first) })
  let end = try require(all[(start + 1)...].firstIndex { $0.hasPrefix(last) })
  return Array(all[start...end])
}

/// Waits until an observed model shows what is wanted; the suite's time limit ends a wait in vain.
@MainActor
func waitUntil(_ condition: () -> Bool) async {
  while !condition() {
    await withCheckedContinuation { continuation in
      withObservationTracking {
        _ = condition()
      } onChange: {
        continuation.resume()
      }
    }
  }
}
