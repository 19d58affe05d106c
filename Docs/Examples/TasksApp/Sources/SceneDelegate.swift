#if canImport(UIKit) && !os(watchOS)
  import B2CConnector
  import UIKit

  /// A start for apps on UIKit that open the user's browser instead of the system's sheet.
  ///
  /// The callback reaches the app as a URL: in `scene(_:openURLContexts:)` for a private-use scheme, in
  /// `scene(_:continue:)` for a universal link, and in `scene(_:willConnectTo:options:)` for both if the system ended the app
  /// while the browser was open.
  final class SceneDelegate: NSObject, UIWindowSceneDelegate {
    var window: UIWindow?

    /// All scenes share one presenter, because the system may hand the callback to another scene than the one that opened
    /// the page.
    private static let presenter = ExternalBrowserPresenter(
      open: { url in
        guard await UIApplication.shared.open(url) else {
          throw ConnectorError(.presentationFailed, "No app opens the page.")
        }
      })

    /// They share the session as well, so that a page can be cancelled in any of them.
    private static let session = SessionModel {
      try Connector(settings: .main, presenter: SceneDelegate.presenter)
    }

    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
      guard let scene = scene as? UIWindowScene else { return }
      let window = UIWindow(windowScene: scene)
      window.rootViewController = TasksViewController(session: Self.session)
      window.makeKeyAndVisible()
      self.window = window
      // After a cold launch the sign-in is gone, because it was in the memory of the app that has ended. `resume` returns
      // `false` then, and the user signs in again.
      let urls = options.urlContexts.map(\.url) + options.userActivities.compactMap(\.webpageURL)
      for url in urls where !Self.presenter.resume(with: url) { open(url) }
    }

    func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {
      for context in contexts where !Self.presenter.resume(with: context.url) { open(context.url) }
    }

    func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
      guard let url = userActivity.webpageURL, !Self.presenter.resume(with: url) else { return }
      open(url)
    }

    /// Opens a link that is not a callback but one of the app's own.
    private func open(_ url: URL) {}
  }

  /// Signs in with the session that all scenes share.
  final class TasksViewController: UIViewController {
    private let session: SessionModel

    init(session: SessionModel) {
      self.session = session
      super.init(nibName: nil, bundle: nil)
    }

    @available(*, unavailable, message: "This controller is not in a storyboard.")
    required init?(coder: NSCoder) {
      nil
    }

    override func viewDidLoad() {
      super.viewDidLoad()
      title = session.settingsProblem ?? "Tasks"
    }

    /// The action of the button "Sign in".
    func signIn() async {
      if await session.signIn() { await session.restore() }
      title = session.message ?? session.user?.name ?? "Tasks"
    }

    /// The action of the button "Cancel", which is shown while a page is open.
    func cancelSignIn() { session.cancelSignIn() }
  }
#endif
