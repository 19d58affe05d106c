#if !canImport(FoundationNetworking)
  extension ProxyEnvironment {
    /// No variables: the system's proxy settings count here, not the environment.
    static let current = ProxyEnvironment([:])

    /// Does nothing: the system's proxy settings count here.
    package static func exemptThisMachine() {}
  }
#endif
