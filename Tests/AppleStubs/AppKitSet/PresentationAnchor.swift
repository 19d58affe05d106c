public import AppKit

public typealias ASPresentationAnchor = NSWindow
