// swift-format-ignore-file
// The parts of UIKit that the package and its documentation use. The reference declares these classes `@MainActor`.
@_exported import Foundation

// On Apple's systems Foundation has it.
public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"

open class NSUserActivity: NSObject {
  public var activityType: String { "" }
  public var webpageURL: URL?
}

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

@MainActor open class UISceneSession: NSObject {}

extension UIScene {
  @MainActor open class ConnectionOptions: NSObject {
    public var urlContexts: Set<UIOpenURLContext> { [] }
    public var userActivities: Set<NSUserActivity> { [] }
  }
}

@MainActor public protocol UISceneDelegate: NSObjectProtocol {
  func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions)
  func scene(_ scene: UIScene, continue userActivity: NSUserActivity)
  func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>)
}

// The requirements are optional in Objective-C.
extension UISceneDelegate {
  public func scene(
    _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
  ) {}
  public func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {}
  public func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {}
}

@MainActor public protocol UIWindowSceneDelegate: UISceneDelegate {}

@MainActor open class UIViewController: UIResponder {
  // With these two a subclass that stores properties has to write both, as with the real class.
  public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }
  public required init?(coder: NSCoder) { super.init() }
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
