// swift-format-ignore-file
public import AppKit

public typealias ASPresentationAnchor = NSWindow
