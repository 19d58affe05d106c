#if canImport(Darwin)
  import Darwin

  /// How much memory this process has in use; here only the most since its start is known.
  enum ResidentMemory {
    static var current: Int { peak }

    static var peak: Int {
      var usage = rusage()
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    }

    static func resetPeak() {}
  }
#endif
