/// The moments at which a locked device's data becomes readable.
package enum ProtectedData {}

#if canImport(UIKit) && !os(watchOS)
  internal import Foundation
  internal import UIKit

  // The name is all that is used of the application, so an extension may ask too.
  private let becameAvailable = UIApplication.protectedDataDidBecomeAvailableNotification
#elseif canImport(AppKit)
  internal import AppKit
  internal import Foundation

  // The system posts it to apps; a command line has none.
  private let becameAvailable = Notification.Name.NSApplicationProtectedDataDidBecomeAvailable
#endif

#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
  extension ProtectedData {
    /// Yields when the system says so; `nil` where it never does.
    package static let updates: (@Sendable () -> AsyncStream<Void>)? = {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      let task = Task {
        for await _ in NotificationCenter.default.notifications(named: becameAvailable) { continuation.yield() }
      }
      continuation.onTermination = { _ in task.cancel() }
      return stream
    }
  }
#else
  extension ProtectedData {
    /// `nil`: this system does not say.
    package static let updates: (@Sendable () -> AsyncStream<Void>)? = nil
  }
#endif
