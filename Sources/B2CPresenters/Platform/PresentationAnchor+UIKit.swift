#if canImport(AuthenticationServices) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
  internal import AuthenticationServices
  internal import UIKit

  /// The window that a sheet belongs to when the app names none.
  @MainActor
  enum PresentationAnchor {
    /// The key window of the scene in front; not to be used in an app extension.
    static var current: ASPresentationAnchor? {
      let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
      return scenes.first { $0.activationState == .foregroundActive && $0.keyWindow != nil }?.keyWindow
    }

    /// Whether the system shows a sheet over this window now; a scene passes through `foregroundInactive` on its way to
    /// becoming active.
    static func isActive(_ window: ASPresentationAnchor) -> Bool {
      window.windowScene?.activationState != .foregroundInactive
    }
  }
#endif
