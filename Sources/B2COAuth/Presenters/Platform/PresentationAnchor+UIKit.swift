#if canImport(AuthenticationServices) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
  internal import AuthenticationServices
  internal import UIKit

  /// The window that a sheet belongs to when the app names none.
  @MainActor
  enum PresentationAnchor {
    /// The key window of the scene in front, or else any window of it; not to be used in an app extension.
    static var current: ASPresentationAnchor? {
      SheetWindow.window(
        of: UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }.map { scene in
          SheetWindow.Scene(activation(of: scene), keyWindow: scene.keyWindow, windows: scene.windows)
        })
    }

    private static func activation(of scene: UIWindowScene) -> SheetWindow.Scene<UIWindow>.Activation {
      switch scene.activationState {
      case .foregroundActive: .foregroundActive
      case .foregroundInactive: .foregroundInactive
      default: .away
      }
    }
  }
#endif
