#if canImport(UIKit) && !os(watchOS)
  internal import Foundation
  internal import UIKit

  /// The moments at which a locked device's data becomes readable.
  package enum ProtectedData {
    /// Yields when the system says so; `nil` where it never does.
    ///
    /// The notification is all that is used of the application, so an extension may ask too.
    package static let updates: (@Sendable () -> AsyncStream<Void>)? = {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      let task = Task {
        let name = UIApplication.protectedDataDidBecomeAvailableNotification
        for await _ in NotificationCenter.default.notifications(named: name) { continuation.yield() }
      }
      continuation.onTermination = { _ in task.cancel() }
      return stream
    }
  }
#else
  /// The moments at which a locked device's data becomes readable.
  package enum ProtectedData {
    /// `nil`: this system does not say.
    package static let updates: (@Sendable () -> AsyncStream<Void>)? = nil
  }
#endif
