#if !(os(iOS) || os(tvOS) || os(watchOS) || os(visionOS))
  extension RefreshActivity {
    /// None: this system does not suspend processes.
    package static let ofSystem = RefreshActivity(nil)
  }
#endif
