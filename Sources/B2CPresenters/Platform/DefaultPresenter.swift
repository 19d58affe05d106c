internal import B2CCore
internal import Foundation

/// The presenter of an app that passes none.
package enum DefaultPresenter {
  /// Returns the sheet of Apple's systems, or else the system's browser with a redirect to this machine.
  ///
  /// On a system without a browser, the presenter throws, so an app must pass another one or use a device code.
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

#if os(watchOS) || os(tvOS)
  private struct UnavailablePresenter: SignInPresenter {
    func present(_ request: PresentationRequest) async throws -> URL {
      throw ConnectorError(
        own: .presentationFailed, "This system has no browser for a sign-in.",
        recoverySuggestion: "Sign in with a device code, or pass a presenter.")
    }
  }
#endif
