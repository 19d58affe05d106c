#if canImport(AuthenticationServices) && canImport(AppKit) && !canImport(UIKit)
  internal import AppKit
  internal import AuthenticationServices

  /// The window that a sheet belongs to when the app names none.
  @MainActor
  enum PresentationAnchor {
    /// The key window, or else the main one, or a new one that is never shown.
    ///
    /// On a Mac the page opens in a window of the browser, which the anchor only helps to place.
    static var current: ASPresentationAnchor? {
      NSApplication.shared.keyWindow ?? NSApplication.shared.mainWindow ?? NSWindow()
    }

    /// A Mac shows the sheet whether or not the app is active.
    static func isActive(_ window: ASPresentationAnchor) -> Bool { true }
  }
#endif
