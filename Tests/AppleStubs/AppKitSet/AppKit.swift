// swift-format-ignore-file
// The parts of AppKit that the package and its documentation use, with the reference's initialisers and isolation. What a
// stub cannot show is in ../README.md.
@_exported import Foundation

@MainActor open class NSResponder: NSObject {
  public nonisolated override init() { super.init() }
  public required init?(coder: NSCoder) { super.init() }
}

@MainActor open class NSWindow: NSResponder {
  public nonisolated override init() { super.init() }
  // The reference marks it unavailable: a window is never decoded.
  public required init?(coder: NSCoder) { super.init(coder: coder) }
}

@MainActor open class NSApplication: NSResponder {
  open class var shared: NSApplication { NSApplication() }
  nonisolated override init() { super.init() }
  public required init?(coder: NSCoder) { super.init(coder: coder) }
  open var keyWindow: NSWindow? { nil }
  open var mainWindow: NSWindow? { nil }
}
