#if canImport(AuthenticationServices) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
  internal import AuthenticationServices
  internal import UIKit

  /// The window that a sheet belongs to when the app names none.
  @MainActor
  enum PresentationAnchor {
    /// The key window of the scene in front, or else any window of it.
    static var current: ASPresentationAnchor? {
      let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
      let active = scenes.filter { $0.activationState == .foregroundActive }
      let windows = (active.isEmpty ? scenes : active).flatMap(\.windows)
      return windows.first(where: \.isKeyWindow) ?? windows.first
    }
  }
#endif
