#if !((os(iOS) && !targetEnvironment(macCatalyst)) || os(tvOS) || os(watchOS) || os(visionOS))
  extension FileLock {
    /// Whether processes lock a directory against each other on this system.
    package static let isUsed = true
  }
#endif
