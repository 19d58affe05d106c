internal import B2CCore

/// The choice of the window that a sheet belongs to, without the system's windows.
package enum SheetWindow {
  /// A window scene of an app.
  package struct Scene<Window> {
    /// Whether the user sees the scene.
    package enum Activation: Sendable {
      case foregroundActive
      /// On the screen, without events: the app was just launched, or an alert of the system covers it.
      case foregroundInactive
      /// In the background, or not connected.
      case away
    }

    let activation: Activation
    let keyWindow: Window?
    let windows: [Window]

    package init(_ activation: Activation, keyWindow: Window?, windows: [Window]) {
      self.activation = activation
      self.keyWindow = keyWindow
      self.windows = windows
    }
  }

  /// Returns the window to use: the app's own choice, or one that is looked for.
  ///
  /// - Parameters:
  ///   - chosen: The window that the app passes.
  ///   - isExtension: Whether the process is an app extension.
  ///   - search: Looks for a window; not called in an app extension, where `UIApplication.shared` ends the process.
  /// - Returns: The window.
  /// - Throws: ``OAuthError`` with code ``ErrorCode/presentationFailed``.
  @MainActor
  package static func window<Window>(
    _ chosen: Window?, isExtension: Bool, search: @MainActor () -> Window?
  ) throws -> Window {
    if let chosen { return chosen }
    guard !isExtension else {
      throw OAuthError(
        .presentationFailed, "An app extension cannot show a sign-in page.",
        recoverySuggestion: "Ask the user to open the app, and sign in there.")
    }
    guard let found = search() else {
      throw OAuthError(
        .presentationFailed, "The app has no window to show the sign-in sheet in.",
        recoverySuggestion: "Sign in when a window is there, or pass one as the anchor.")
    }
    return found
  }

  /// Returns the window of the scene in front: its key window, or else the first of its windows.
  ///
  /// - Parameter scenes: The app's scenes, in any order.
  /// - Returns: The window; `nil` when no scene in the foreground has one, since a sheet cannot be shown in another.
  package static func window<Window>(of scenes: [Scene<Window>]) -> Window? {
    let byRank = [Scene<Window>.Activation.foregroundActive, .foregroundInactive].lazy.map { activation in
      scenes.filter { $0.activation == activation }
    }
    for scenes in byRank {
      if let window = scenes.compactMap(\.keyWindow).first ?? scenes.flatMap(\.windows).first { return window }
    }
    return nil
  }

  /// Returns the window of a Mac app: the key one, or else the main one, or else one that could become it.
  ///
  /// - Parameters:
  ///   - key: The key window.
  ///   - main: The main window.
  ///   - windows: All windows of the app, the front one first.
  ///   - canBeMain: Whether a window is visible and can become the main one; that of a status item cannot.
  /// - Returns: The window, if there is one.
  package static func window<Window>(
    key: Window?, main: Window?, windows: [Window], canBeMain: (Window) -> Bool
  ) -> Window? {
    key ?? main ?? windows.first(where: canBeMain)
  }
}
