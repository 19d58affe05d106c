// swift-format-ignore-file
// The parts of UIKit that the package and its documentation use, with the reference's initialisers, isolation and
// availability. What a stub cannot show is in ../README.md.
@_exported import Foundation

// On Apple's systems Foundation has these.
open class NSUserActivity: NSObject {
  public init(activityType: String) {}
  open var webpageURL: URL?
}

// watchOS has a UIKit without views, windows, scenes and an application.
#if !os(watchOS)
@MainActor open class UIResponder: NSObject {
  public nonisolated override init() { super.init() }
}

@MainActor open class UIView: UIResponder {
  public init(frame: CGRect) { super.init() }
  public required init?(coder: NSCoder) { super.init() }
}

@MainActor open class UIWindow: UIView {
  public init(windowScene: UIWindowScene) { super.init(frame: CGRect(x: 0, y: 0, width: 0, height: 0)) }
  public override init(frame: CGRect) { super.init(frame: frame) }
  public required init?(coder: NSCoder) { super.init(coder: coder) }
  open weak var windowScene: UIWindowScene?
  open var rootViewController: UIViewController?
  open func makeKeyAndVisible() {}
}

@MainActor open class UIScene: UIResponder {
  public enum ActivationState: Int, Sendable {
    case unattached = -1
    case foregroundActive
    case foregroundInactive
    case background
  }

  public init(session: UISceneSession, connectionOptions: UIScene.ConnectionOptions) { super.init() }
  open var activationState: ActivationState { .unattached }
}

@MainActor open class UIWindowScene: UIScene {
  open var keyWindow: UIWindow? { nil }
}

// These are made by the system only: their initialisers are unavailable.
@MainActor open class UIOpenURLContext: NSObject {
  nonisolated override init() { super.init() }
  open var url: URL { URL(fileURLWithPath: "/") }
}

@MainActor open class UISceneSession: NSObject {
  nonisolated override init() { super.init() }
}

extension UIScene {
  @MainActor open class ConnectionOptions: NSObject {
    nonisolated override init() { super.init() }
    open var urlContexts: Set<UIOpenURLContext> { [] }
    open var userActivities: Set<NSUserActivity> { [] }
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

@MainActor public protocol UIWindowSceneDelegate: UISceneDelegate {
  var window: UIWindow? { get set }
}

extension UIWindowSceneDelegate {
  public var window: UIWindow? {
    get { nil }
    set {}
  }
}

@MainActor open class UIViewController: UIResponder {
  // With these two, a subclass that stores properties has to write both, as with the real class.
  public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }
  public required init?(coder: NSCoder) { super.init() }
  open var view: UIView!
  open var title: String?
  open func viewDidLoad() {}
}

@MainActor open class UIApplication: UIResponder {
  open class var shared: UIApplication { UIApplication() }
  open var isProtectedDataAvailable: Bool { true }
  nonisolated override init() { super.init() }
  open var connectedScenes: Set<UIScene> { [] }
  @discardableResult open func open(_ url: URL) async -> Bool { false }
}
#endif
