#if os(watchOS) || os(tvOS)
  internal import Foundation

  /// tvOS and watchOS have no browser: the app has to supply a presenter, or sign in with a device code.
  package enum DefaultPresenter {
    package static func make() -> any SignInPresenter { UnavailablePresenter() }
  }

  private struct UnavailablePresenter: SignInPresenter {
    func present(_ request: PresentationRequest) async throws -> URL {
      throw ConnectorError(
        own: .presentationFailed, "This system has no browser to sign in with.",
        recoverySuggestion: "Sign in with a device code, or pass a presenter.")
    }
  }
#endif
