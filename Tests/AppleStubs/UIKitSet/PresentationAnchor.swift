public import UIKit

public typealias ASPresentationAnchor = UIWindow
