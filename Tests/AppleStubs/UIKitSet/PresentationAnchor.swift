// swift-format-ignore-file
public import UIKit

#if !os(tvOS) && !os(watchOS)
public typealias ASPresentationAnchor = UIWindow
#endif
