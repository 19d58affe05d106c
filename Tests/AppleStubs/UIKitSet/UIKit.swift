// swift-format-ignore-file
// The parts of UIKit that the package and its documentation use. The reference declares these classes `@MainActor`.
@_exported import Foundation

@MainActor open class UIResponder: NSObject {
  public nonisolated override init() { super.init() }
}

@MainActor open class UIView: UIResponder {}

@MainActor open class UIWindow: UIView {
  public var isKeyWindow: Bool { false }
  public weak var windowScene: UIWindowScene?
}

@MainActor open class UIScene: UIResponder {
  public enum ActivationState: Int, Sendable {
    case unattached = -1
    case foregroundActive
    case foregroundInactive
    case background
  }

  public var activationState: ActivationState { .unattached }
}

@MainActor open class UIWindowScene: UIScene {
  public var windows: [UIWindow] { [] }
  public var keyWindow: UIWindow? { nil }
}

@MainActor open class UIOpenURLContext: NSObject {
  public var url: URL { URL(fileURLWithPath: "/") }
}

@MainActor public protocol UISceneDelegate: NSObjectProtocol {
  func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>)
}

@MainActor public protocol UIWindowSceneDelegate: UISceneDelegate {}

@MainActor open class UIViewController: UIResponder {
  public var view: UIView! { UIView() }
  public var title: String?
  open func viewDidLoad() {}
}

@MainActor open class UIApplication: UIResponder {
  public struct OpenExternalURLOptionsKey: Hashable, Sendable {}
  public class var shared: UIApplication { UIApplication() }
  public var connectedScenes: Set<UIScene> { [] }
  @discardableResult
  public func open(_ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:]) async -> Bool { false }
}
