#if os(Linux)
  import Foundation

  /// How much memory this process has in use.
  enum ResidentMemory {
    /// The bytes in use now.
    static var current: Int { field("VmRSS:") }
    /// The most bytes since ``resetPeak()``.
    static var peak: Int { field("VmHWM:") }

    /// Begins to measure the peak anew.
    static func resetPeak() {
      // "5" resets the high-water mark (proc(5)).
      guard let handle = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
      try? handle.write(contentsOf: Data("5".utf8))
      try? handle.close()
    }

    private static func field(_ name: String) -> Int {
      let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
      let line = text.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
      return (line.split(separator: " ").compactMap { Int($0) }.first ?? 0) << 10
    }
  }
#endif
