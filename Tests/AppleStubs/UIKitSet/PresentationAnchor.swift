// swift-format-ignore-file
public import UIKit

public typealias ASPresentationAnchor = UIWindow
