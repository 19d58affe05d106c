#if canImport(AuthenticationServices) && canImport(AppKit) && !canImport(UIKit)
  internal import AppKit
  internal import AuthenticationServices

  /// The window that a sheet belongs to when the app names none.
  @MainActor
  enum PresentationAnchor {
    /// The key window, or else the main one, or else any.
    static var current: ASPresentationAnchor? {
      let app = NSApplication.shared
      return app.keyWindow ?? app.mainWindow ?? app.windows.first(where: \.isVisible)
    }
  }
#endif
