internal import B2CCore
public import Foundation

/// A way to open a URL in a browser.
public struct BrowserOpening: Sendable {
  private let action: @Sendable (URL) async throws -> Void
  /// Whether other users or a log can see the URL, as on a command line: then a one-time local page is opened instead.
  let exposesURL: Bool

  /// Creates a way of opening from a closure, such as one that calls `UIApplication.open(_:)` or SwiftUI's `openURL`.
  ///
  /// Do not pass the URL on a command line: it may hold an `id_token_hint`, and any reader can finish the sign-in.
  ///
  /// - Parameter action: Opens a URL and returns, or throws when it cannot; it is neither waited for nor cancelled.
  public init(_ action: @escaping @Sendable (URL) async throws -> Void) {
    self.init(exposesURL: false, action)
  }

  init(exposesURL: Bool, _ action: @escaping @Sendable (URL) async throws -> Void) {
    self.exposesURL = exposesURL
    self.action = action
  }

  /// Shows the URL as text, for the user to open in a browser of this machine.
  ///
  /// The URL has a line of its own, so that no terminal cuts it.
  ///
  /// - Parameter write: Writes a text of two lines; to standard error when `nil`.
  /// - Returns: A way of opening that never fails.
  public static func printing(to write: (@Sendable (String) -> Void)? = nil) -> BrowserOpening {
    let write = write ?? printLine
    return BrowserOpening(exposesURL: true) { url in
      write("Open this page in a browser on this machine, once:\n\(url.absoluteString)")
    }
  }

  @Sendable static func printLine(_ text: String) {
    // Losing a line, at a full disk or a closed descriptor, is no reason to end the process.
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
  }

  /// Tries another way when this one fails.
  ///
  /// - Parameter other: The other way, such as ``printing(to:)``.
  /// - Returns: Both, one after the other.
  package func fallingBack(to other: BrowserOpening) -> BrowserOpening {
    BrowserOpening(exposesURL: exposesURL || other.exposesURL) { url in
      do {
        try await action(url)
      } catch is CancellationError {
        // The app has asked its user, who does not want the page by another way either.
        throw CancellationError()
      } catch {
        try await other.action(url)
      }
    }
  }

  /// Opens a page in a task that nothing waits for; an error is passed on.
  ///
  /// The task is never cancelled: on Linux, cancelling a request of `URLSession` in it can block for ever, and all later
  /// requests of that session with it.
  func start(_ url: URL, onFailure: @escaping @Sendable (any Error) -> Void) {
    Task {
      do {
        try await action(url)
      } catch  where error is ConnectorError || error is CancellationError {
        onFailure(error)
      } catch {
        onFailure(
          ConnectorError(
            own: .presentationFailed, "The browser could not be opened.",
            recoverySuggestion: "Open the page yourself: use BrowserOpening.printing(to:).", underlying: error))
      }
    }
  }

  /// Refuses pages that are neither https nor on this machine.
  ///
  /// A program that opens URLs would also run files and other programs' schemes.
  static func check(_ url: URL) throws {
    guard Loopback.isAllowed(url) else {
      throw ConnectorError(
        own: .presentationFailed, "The page is neither https nor on this machine: \(RedactedURL(url)).")
    }
  }
}
