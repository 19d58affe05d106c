#if canImport(AuthenticationServices) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
  internal import AuthenticationServices
  internal import UIKit

  /// The window of a sheet if the app names none.
  @MainActor
  enum PresentationAnchor {
    /// The key window of the active scene, except in an app extension, whose process `UIApplication.shared` would end.
    static var current: ASPresentationAnchor? {
      let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
      return scenes.first { $0.activationState == .foregroundActive && $0.keyWindow != nil }?.keyWindow
    }

    /// Whether the system shows a sheet over this window now.
    ///
    /// A scene is `foregroundInactive` for a moment before it becomes active, and the system then refuses a sheet.
    static func isActive(_ window: ASPresentationAnchor) -> Bool {
      window.windowScene?.activationState != .foregroundInactive
    }
  }
#endif
