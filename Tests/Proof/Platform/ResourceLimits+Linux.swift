#if canImport(Glibc)
  import Glibc

  /// Limits of this process that make calls fail.
  enum ResourceLimits {
    /// No file may grow beyond so many bytes; `nil` lifts the limit.
    static func setFileSize(_ bytes: UInt?) {
      // The signal that comes with it would end the process; without it, the write fails.
      signal(SIGXFSZ, SIG_IGN)
      set(RLIMIT_FSIZE, bytes)
    }

    /// So many descriptors may be open; `nil` lifts the limit.
    static func setDescriptors(_ count: UInt?) {
      set(RLIMIT_NOFILE, count)
    }

    private static func set(_ resource: __rlimit_resource, _ value: UInt?) {
      var limits = rlimit()
      getrlimit(__rlimit_resource_t(resource.rawValue), &limits)
      limits.rlim_cur = value.map { rlim_t($0) } ?? limits.rlim_max
      setrlimit(__rlimit_resource_t(resource.rawValue), &limits)
    }
  }
#endif
