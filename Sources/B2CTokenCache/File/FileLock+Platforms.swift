#if (os(iOS) && !targetEnvironment(macCatalyst)) || os(tvOS) || os(watchOS) || os(visionOS)
  extension FileLock {
    /// Not on this system: it kills an app that is suspended while it holds a lock in a directory that others share.
    package static let isUsed = false
  }
#else
  extension FileLock {
    /// Whether processes lock a directory against each other on this system.
    package static let isUsed = true
  }
#endif
