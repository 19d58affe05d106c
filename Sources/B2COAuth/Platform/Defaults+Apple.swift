#if canImport(AuthenticationServices) && canImport(Security) && !os(watchOS) && !os(tvOS)
  /// The presenter of Apple's systems.
  package enum DefaultPresenter {
    package static func make() -> any SignInPresenter { WebAuthenticationPresenter() }
  }
#endif

#if canImport(Security)
  /// The token cache of Apple's systems.
  package enum DefaultTokenCache {
    package static func make() throws -> any TokenCache { StoredTokenCache.keychain() }
  }
#endif
