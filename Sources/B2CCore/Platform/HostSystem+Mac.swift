#if os(macOS) || targetEnvironment(macCatalyst)
  extension HostSystem {
    /// The system of this process.
    package static let current = HostSystem.mac
  }
#endif
