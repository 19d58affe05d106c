// swift-format-ignore-file
// The parts of AppKit that the package and its documentation use. The reference declares these classes `@MainActor`.
@_exported import Foundation

@MainActor open class NSResponder: NSObject {
  public nonisolated override init() { super.init() }
}

@MainActor open class NSWindow: NSResponder {
  public var isVisible: Bool { false }
}

@MainActor open class NSApplication: NSResponder {
  public class var shared: NSApplication { NSApplication() }
  public var keyWindow: NSWindow? { nil }
  public var mainWindow: NSWindow? { nil }
  public var windows: [NSWindow] { [] }
}

open class NSWorkspace: NSObject {
  public class var shared: NSWorkspace { NSWorkspace() }
  @discardableResult
  public func open(_ url: URL) -> Bool { false }
}
