#if canImport(AuthenticationServices) && canImport(AppKit) && !canImport(UIKit)
  internal import AppKit
  internal import AuthenticationServices

  /// The window that a sheet belongs to when the app names none.
  @MainActor
  enum PresentationAnchor {
    /// The key window, or else the main one, or else one that could become it.
    static var current: ASPresentationAnchor? {
      let app = NSApplication.shared
      return SheetWindow.window(key: app.keyWindow, main: app.mainWindow, windows: app.windows) {
        $0.isVisible && $0.canBecomeMain
      }
    }
  }
#endif
