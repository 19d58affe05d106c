#if os(tvOS)
  extension InstallationFile {
    /// `nil`: tvOS removes files when it needs the space, which is no new installation.
    static func inApplicationSupport(service _: String) -> InstallationFile? { nil }
  }
#endif
