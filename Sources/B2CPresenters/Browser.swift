internal import B2CCore
internal import Foundation

/// The browser in which pages are opened.
package enum Browser {
  /// Opens a page in a task of its own, and reports its error.
  ///
  /// The task is never cancelled. On Linux, cancelling a request of `URLSession` in it can block for ever, and with it
  /// all later requests of that session.
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

  /// Throws if a page is neither https nor on this machine.
  ///
  /// A program that opens URLs would also open files and start other programs by their schemes.
  static func check(_ url: URL) throws {
    guard Loopback.isAllowed(url) else {
      throw ConnectorError(
        own: .presentationFailed, "The page \(url.redacted) is neither https nor on this machine.")
    }
  }
}
