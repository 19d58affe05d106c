internal import B2CCore
internal import Foundation

/// The presenter where the app has none.
package enum DefaultPresenter {
  /// Returns the sheet of Apple's systems, elsewhere the system's browser with a redirect to this machine.
  package static func make() -> any SignInPresenter {
    #if os(watchOS) || os(tvOS)
      UnavailablePresenter()
    #elseif canImport(AuthenticationServices)
      WebAuthenticationPresenter()
    #else
      LoopbackPresenter()
    #endif
  }
}

/// The token cache where the app has none.
enum DefaultTokenCache {
  /// Returns the keychain of Apple's systems, elsewhere a private file in the user's state directory.
  static func make() throws -> any TokenCache {
    #if canImport(Security)
      StoredTokenCache.keychain()
    #else
      try StoredTokenCache.files()
    #endif
  }
}

#if os(watchOS) || os(tvOS)
  /// tvOS and watchOS have no browser: the app has to supply a presenter, or sign in with a device code.
  private struct UnavailablePresenter: SignInPresenter {
    func present(_ request: PresentationRequest) async throws -> URL {
      throw ConnectorError(
        own: .presentationFailed, "This system has no browser to sign in with.",
        recoverySuggestion: "Sign in with a device code, or pass a presenter.")
    }
  }
#endif
