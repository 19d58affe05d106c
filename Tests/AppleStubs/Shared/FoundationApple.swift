// swift-format-ignore-file
// What Foundation has on Apple's systems, and not on Linux.
import Foundation

// Foundation hands on the C library there.
public func getenv(_ name: UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>? { nil }

extension ProcessInfo {
  @available(iOS 14.0, macOS 11.0, tvOS 14.0, watchOS 7.0, visionOS 1.0, *)
  public var isiOSAppOnMac: Bool { false }
}

// The reference has it for Mac Catalyst too. A Mac suspends no process, so the package must not use it there.
#if !os(macOS) && !targetEnvironment(macCatalyst)
extension ProcessInfo {
  public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {}
}
#endif

// The reference has it for tvOS too. No app can write there on an Apple TV, so the package must not use it.
#if !os(tvOS)
extension URL {
  @available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
  public static var applicationSupportDirectory: URL { URL(fileURLWithPath: "/") }
}
#endif
