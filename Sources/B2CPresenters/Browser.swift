internal import B2CCore
internal import Foundation

/// Bringing a page before the user.
package enum Browser {
  /// Opens a page in a task that nothing waits for; an error is passed on.
  ///
  /// The task is never cancelled: on Linux, cancelling a request of `URLSession` in it can block for ever, and all later
  /// requests of that session with it.
  static func open(
    _ url: URL, by open: @escaping @Sendable (URL) async throws -> Void,
    onFailure: @escaping @Sendable (any Error) -> Void
  ) {
    Task {
      do {
        try await open(url)
      } catch {
        let message = "The app could not open the page in a browser."
        onFailure(error as? ConnectorError ?? ConnectorError(own: .presentationFailed, message, underlying: error))
      }
    }
  }

  /// Refuses pages that are neither https nor on this machine.
  ///
  /// A program that opens URLs would also run files and other programs' schemes.
  static func check(_ url: URL) throws {
    guard Loopback.isAllowed(url) else {
      throw ConnectorError(
        own: .presentationFailed, "The page is neither https nor on this machine: \(url.redacted).")
    }
  }
}
