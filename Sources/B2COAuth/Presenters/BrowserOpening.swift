internal import B2CCore
public import Foundation

/// A way to bring a URL before the user.
public struct BrowserOpening: Sendable {
  private let action: @Sendable (URL) async throws -> Void

  /// Makes a way of opening from a closure, such as one that calls `UIApplication.open(_:)` or SwiftUI's `openURL`.
  ///
  /// - Parameter action: Opens a URL and returns, or throws when it cannot.
  public init(_ action: @escaping @Sendable (URL) async throws -> Void) {
    self.action = action
  }

  /// Shows the URL as text, for the user to open where they have a browser.
  ///
  /// - Parameter write: Writes one line, such as to standard error.
  /// - Returns: A way of opening that never fails.
  public static func printing(to write: @escaping @Sendable (String) -> Void) -> BrowserOpening {
    BrowserOpening { url in
      write("Open this page in a browser on this machine: \(url.absoluteString)")
    }
  }

  /// Tries another way when this one fails.
  ///
  /// - Parameter other: The other way, such as ``printing(to:)``.
  /// - Returns: Both, one after the other.
  public func fallingBack(to other: BrowserOpening) -> BrowserOpening {
    BrowserOpening { url in
      do {
        try await action(url)
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        try await other.action(url)
      }
    }
  }

  /// Opens a page.
  ///
  /// - Parameter url: An https URL, or an http URL of this machine.
  /// - Throws: ``OAuthError`` with code ``OAuthError/Code/presentationFailed``; `CancellationError`.
  func open(_ url: URL) async throws {
    // Whatever opens URLs would also run files and other programs' schemes.
    guard Loopback.isAllowed(url) else {
      throw OAuthError(.presentationFailed, "The page is neither https nor on this machine: \(RedactedURL(url)).")
    }
    do {
      try await action(url)
    } catch let error as OAuthError {
      throw error
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw OAuthError(
        .presentationFailed, "The browser could not be opened.",
        recoverySuggestion: "Open the page yourself: use BrowserOpening.printing(to:).", underlying: error)
    }
  }
}
