#if !canImport(Darwin)
  extension HostSystem {
    /// The system of this process.
    package static let current = HostSystem.other
  }
#endif
