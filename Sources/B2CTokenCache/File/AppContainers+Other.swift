#if !((os(iOS) && !targetEnvironment(macCatalyst)) || os(tvOS) || os(watchOS) || os(visionOS))
  extension AppContainers {
    /// `nil`: on this system other users exist, and every directory from the root down is checked.
    package static let ofSystem: AppContainers? = nil
  }
#endif
