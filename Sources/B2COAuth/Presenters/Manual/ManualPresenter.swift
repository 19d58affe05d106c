internal import B2CCore
public import Foundation

/// Signs in with a browser on any machine: shows the URL, takes what the user pastes back.
///
/// For remote shells, for machines without a browser and for `urn:ietf:wg:oauth:2.0:oob`, the tutorial's redirect, where the
/// page itself shows the code. With any other redirect URI the browser ends on a page that may not load: what counts is the
/// URL in its address bar.
public struct ManualPresenter: SignInPresenter {
  private static let triesAllowed = 3

  private let write: @Sendable (String) async -> Void
  private let readLine: @Sendable () async throws -> String?

  /// Makes a presenter that talks on standard error and standard input.
  ///
  /// A terminal takes lines of at most 4,095 bytes on Linux and 1,023 on macOS. Where codes are longer, pass a `readLine` of
  /// your own.
  ///
  /// - Parameters:
  ///   - write: Shows one line to the user.
  ///   - readLine: Gives the next line of the user, `nil` when there will be none.
  public init(
    write: (@Sendable (String) async -> Void)? = nil, readLine: (@Sendable () async throws -> String?)? = nil
  ) {
    self.write = write ?? { TerminalText.standardError($0) }
    self.readLine = readLine ?? TerminalInput.standardInput
  }

  /// Accepts every redirect URI: nothing has to come back by itself.
  ///
  /// - Parameter redirectURI: The redirect URI of the settings.
  /// - Throws: Nothing.
  public func validate(redirectURI: URL) throws {}

  /// Shows the URL and asks for the callback URL or the code, up to three times.
  ///
  /// - Parameter request: The page to show and the redirect to wait for.
  /// - Returns: The callback URL; for a code alone, one with that code and the state of the request.
  /// - Throws: ``OAuthError`` with code ``OAuthError/Code/userClosedBrowser`` when there is no line left, or
  ///   ``OAuthError/Code/invalidCallback`` when the last try is no answer either; `CancellationError`.
  public func present(_ request: PresentationRequest) async throws -> URL {
    await write("Open this page in a browser, on this machine or another:\n\n  \(request.url.absoluteString)\n")
    await write(
      request.purpose == .signIn
        ? "Then paste the address of the page it ends on, or the code it shows:"
        : "Then paste the address of the page it ends on, or press Return:")
    for tryNumber in 1...Self.triesAllowed {
      let line = try await readLine()
      try Task.checkCancellation()
      guard let line else {
        throw OAuthError(.userClosedBrowser, "The input ended before an address or a code was pasted.")
      }
      let pasted = PastedCallback(line, redirectURI: request.redirectURI, state: request.state)
      if let url = pasted.url(for: request.purpose) { return url }
      if tryNumber < Self.triesAllowed { await write(pasted.advice + " Try again:") }
    }
    throw OAuthError(
      .invalidCallback, "What was pasted is neither the callback of this sign-in nor a code.",
      recoverySuggestion: "Start again, and paste the whole address or the whole code.")
  }
}
