#if canImport(AuthenticationServices) && canImport(Security) && !os(watchOS) && !os(tvOS)
  /// What Apple's systems offer for the sign-in page.
  package enum DefaultPresenter {
    package static func make() -> any SignInPresenter { WebAuthenticationPresenter() }
  }
#endif

#if canImport(Security)
  /// What Apple's systems offer for keeping tokens.
  package enum DefaultTokenCache {
    package static func make() throws -> any TokenCache { KeychainTokenCache() }
  }
#endif
