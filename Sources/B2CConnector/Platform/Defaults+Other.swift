#if !canImport(AuthenticationServices) && !os(watchOS) && !os(tvOS)
  /// The system's browser, with a redirect to this machine.
  enum DefaultPresenter {
    static func make() -> any SignInPresenter { LoopbackPresenter() }
  }
#endif

#if !canImport(Security)
  /// A private file in the user's state directory.
  enum DefaultTokenCache {
    static func make() throws -> any TokenCache { try FileTokenCache() }
  }
#endif
