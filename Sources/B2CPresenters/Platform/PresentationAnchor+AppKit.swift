#if canImport(AuthenticationServices) && canImport(AppKit) && !canImport(UIKit)
  internal import AppKit
  internal import AuthenticationServices

  /// The window of a sheet if the app names none.
  @MainActor
  enum PresentationAnchor {
    /// The key window, or else the main window, or else a new window that is never shown.
    ///
    /// A Mac shows the page in a window of the browser, and the anchor only helps to place it.
    static var current: ASPresentationAnchor? {
      NSApplication.shared.keyWindow ?? NSApplication.shared.mainWindow ?? NSWindow()
    }

    /// Returns `true`, because a Mac shows the sheet whether or not the app is active.
    static func isActive(_ window: ASPresentationAnchor) -> Bool { true }
  }
#endif
