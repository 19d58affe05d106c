#if os(watchOS) || os(tvOS)
  internal import Foundation

  /// A television and a watch have no browser: the app has to bring a presenter, or sign in with a device code.
  enum DefaultPresenter {
    static func make() -> any SignInPresenter { UnavailablePresenter() }
  }

  private struct UnavailablePresenter: SignInPresenter {
    func present(_ request: PresentationRequest) async throws -> URL {
      throw OAuthError(
        .presentationFailed, "This system has no browser to sign in with.",
        recoverySuggestion: "Sign in with a device code, or pass a presenter.")
    }
  }
#endif
