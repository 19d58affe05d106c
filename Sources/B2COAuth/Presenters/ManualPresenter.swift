internal import B2CCore
public import Foundation

/// Signs in with a browser on any machine: shows the URL, takes what the user pastes back.
///
/// For remote shells, for machines without a browser and for `urn:ietf:wg:oauth:2.0:oob`, the tutorial's redirect, where the
/// page itself shows the code. With any other redirect URI the browser ends on a page that may not load: what counts is the
/// URL in its address bar. The page's URL is shown without an `id_token_hint`, which holds personal data.
public struct ManualPresenter: SignInPresenter {
  private let write: @Sendable (String) async -> Void
  private let readLine: @Sendable () async throws -> String?

  /// Creates a presenter that uses standard error and standard input.
  ///
  /// A terminal takes lines of at most 4,095 bytes on Linux and 1,023 on macOS. Where codes are longer, pass your own
  /// `readLine`.
  ///
  /// - Parameters:
  ///   - write: Shows one line to the user.
  ///   - readLine: Returns the next line of the user, `nil` at the end.
  public init(
    write: (@Sendable (String) async -> Void)? = nil, readLine: (@Sendable () async throws -> String?)? = nil
  ) {
    self.write = write ?? { StandardError.write($0 + "\n") }
    self.readLine = readLine ?? Self.readStandardInput
  }

  /// Reads a line from standard input; `nil` at its end or when the calling task is cancelled.
  ///
  /// The reading itself cannot be interrupted: after a cancellation a thread stays that takes the next line.
  @Sendable private static func readStandardInput() async -> String? {
    let lines = AsyncStream<String>.makeStream()
    Thread.detachNewThread {
      if let line = Swift.readLine() { lines.continuation.yield(line) }
      lines.continuation.finish()
    }
    return await lines.stream.first { _ in true }
  }

  /// Accepts every redirect URI: the user brings the callback.
  ///
  /// - Parameter redirectURI: The redirect URI of the settings.
  /// - Throws: Nothing.
  public func validate(redirectURI: URL) throws {}

  /// Shows the URL and asks for the callback URL or the code.
  ///
  /// - Parameter request: The page to show and the redirect to wait for.
  /// - Returns: The callback URL; for a code alone, one with that code and the state of the request.
  /// - Throws: An error with code ``ErrorCode/userClosedBrowser`` when there is no line left, or
  ///   ``ErrorCode/invalidResponse`` when it is no answer to this request; `CancellationError`.
  public func present(_ request: PresentationRequest) async throws -> URL {
    await write(
      "Open this page in a browser, on this machine or another:\n\n  \(request.printableURL.absoluteString)\n")
    await write(
      request.purpose == .signIn
        ? "Then paste the address of the page it ends on, or the code it shows:"
        : "Then paste the address of the page it ends on, or press Return:")
    let line = try await readLine()
    try Task.checkCancellation()
    guard let line else {
      throw ConnectorError(own: .userClosedBrowser, "The input ended before an address or a code was pasted.")
    }
    if let url = request.callback(pasted: line) { return url }
    throw ConnectorError(
      own: .invalidResponse, "What was pasted is neither the callback of this sign-in nor a code.",
      recoverySuggestion: "Start again, and paste the whole address or the whole code.")
  }
}

extension PresentationRequest {
  /// The callback URL that a pasted line is, or that its code makes; `nil` when it is no answer to this request.
  fileprivate func callback(pasted line: String) -> URL? {
    // A terminal or a chat wraps what it shows, and quotes come along when a URL is copied from a shell.
    let text = line.filter { !$0.isWhitespace }.trimmingCharacters(in: CharacterSet(charactersIn: "\"'<>"))
    let isShort = text.utf8.count <= 65_536
    if isShort, let url = URL(string: text), CallbackState.isRight(url, redirectURI: redirectURI, state: state) {
      return url
    }
    // Any other line says that the user is done with the sign-out's page, and nothing of what came back.
    if purpose == .signOut { return redirectURI }
    // Codes are visible ASCII (RFC 6749 appendix A.11); what is as short as a word was typed, not pasted.
    guard isShort, text.utf8.count >= 6, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.contains("="),
      !text.contains("://"), !text.lowercased().hasPrefix("urn:")
    else { return nil }
    return URL(
      string: redirectURI.textBeforeQuery + "?" + FormEncoding.encode([("code", text), ("state", state.value)]))
  }
}

/// Text for the user of a command line.
enum StandardError {
  /// Writes a text as it is; a full disk or a closed descriptor is ignored.
  static func write(_ text: String) {
    // Losing a line of a log is no reason to end the process.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
