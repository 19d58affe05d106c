#if !canImport(AuthenticationServices) && !os(watchOS) && !os(tvOS)
  /// The system's browser, with a redirect to this machine.
  package enum DefaultPresenter {
    package static func make() -> any SignInPresenter { LoopbackPresenter() }
  }
#endif

#if !canImport(Security)
  /// A private file in the user's state directory.
  package enum DefaultTokenCache {
    package static func make() throws -> any TokenCache { try StoredTokenCache.files() }
  }
#endif
