internal import B2CCore
internal import Foundation

/// The parts where the app has none.
package enum Defaults {}

#if os(watchOS) || os(tvOS)
  extension Defaults {
    /// Returns a presenter that says that this system has no browser.
    ///
    /// The app has to supply one, or sign in with a device code.
    package static func presenter() -> any SignInPresenter { UnavailablePresenter() }
  }

  private struct UnavailablePresenter: SignInPresenter {
    func present(_ request: PresentationRequest) async throws -> URL {
      throw ConnectorError(
        own: .presentationFailed, "This system has no browser to sign in with.",
        recoverySuggestion: "Sign in with a device code, or pass a presenter.")
    }
  }
#elseif canImport(AuthenticationServices)
  extension Defaults {
    /// Returns the sheet of Apple's systems.
    package static func presenter() -> any SignInPresenter { WebAuthenticationPresenter() }
  }
#else
  extension Defaults {
    /// Returns the system's browser with a redirect to this machine.
    package static func presenter() -> any SignInPresenter { LoopbackPresenter() }
  }
#endif

#if canImport(Security)
  extension Defaults {
    /// Returns the keychain.
    static func cache() throws -> any TokenCache { StoredTokenCache.keychain() }
  }
#else
  extension Defaults {
    /// Returns a private file in the user's state directory.
    static func cache() throws -> any TokenCache { try StoredTokenCache.files() }
  }
#endif
