#if canImport(AuthenticationServices) && canImport(AppKit) && !canImport(UIKit)
  internal import AppKit
  internal import AuthenticationServices

  /// The window that a sheet belongs to when the app names none.
  @MainActor
  enum PresentationAnchor {
    /// The key window, or else the main one.
    static var current: ASPresentationAnchor? { NSApplication.shared.keyWindow ?? NSApplication.shared.mainWindow }
  }
#endif
