// swift-format-ignore-file
// What Foundation has on iOS, tvOS, watchOS and visionOS, and neither on macOS nor on Linux.
import Foundation

extension ProcessInfo {
  public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {}
}
