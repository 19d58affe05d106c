#if (os(iOS) && !targetEnvironment(macCatalyst)) || os(tvOS) || os(watchOS) || os(visionOS)
  internal import Foundation

  extension AppContainers {
    /// The containers of this system.
    package static let ofSystem: AppContainers? = AppContainers(home: NSHomeDirectory())
  }
#endif
