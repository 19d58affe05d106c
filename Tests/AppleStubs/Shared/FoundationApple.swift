// swift-format-ignore-file
// What Foundation has on Apple's systems, and not on Linux.
import Foundation

#if !os(macOS)
extension ProcessInfo {
  public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {}
}
#endif

extension URL {
  @available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
  public static var applicationSupportDirectory: URL { URL(fileURLWithPath: "/") }
}
