#if canImport(Darwin)
  import Darwin

  /// Limits of this process that make calls fail.
  enum ResourceLimits {
    /// No file may grow beyond so many bytes; `nil` lifts the limit.
    static func setFileSize(_ bytes: UInt?) {
      signal(SIGXFSZ, SIG_IGN)
      set(RLIMIT_FSIZE, bytes)
    }

    /// So many descriptors may be open; `nil` lifts the limit.
    static func setDescriptors(_ count: UInt?) {
      // The hard limit has no number here, and the soft one may not go beyond the system's.
      set(RLIMIT_NOFILE, count ?? 256)
    }

    private static func set(_ resource: Int32, _ value: UInt?) {
      var limits = rlimit()
      getrlimit(resource, &limits)
      limits.rlim_cur = value.map { rlim_t($0) } ?? limits.rlim_max
      setrlimit(resource, &limits)
    }
  }
#endif
