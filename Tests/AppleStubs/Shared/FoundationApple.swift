// swift-format-ignore-file
// What Foundation has on Apple's systems, and not on Linux.
import Foundation

// Foundation hands on the C library there.
public func getenv(_ name: UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>? { nil }

extension ProcessInfo {
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
  public static var applicationSupportDirectory: URL { URL(fileURLWithPath: "/") }
}
#endif
