#if !(os(iOS) || os(tvOS) || os(watchOS) || os(visionOS))
  extension BackgroundTime {
    /// None: this system does not suspend processes.
    package static let ofSystem = BackgroundTime(nil)
  }
#endif
