#if os(Linux)
  internal import Foundation

  /// The memory that this process has in use.
  package enum ResidentMemory {
    package static var current: Int { field("VmRSS:") }
    /// The most bytes since ``resetPeak()``.
    package static var peak: Int { field("VmHWM:") }

    package static func resetPeak() {
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
#elseif canImport(Darwin)
  internal import Darwin

  /// The memory that this process has in use; here only the most since its start is known.
  package enum ResidentMemory {
    package static var current: Int { peak }
    package static var peak: Int {
      var usage = rusage()
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    }
    package static func resetPeak() {}
  }
#endif
