#if canImport(UIKit) && !os(watchOS)
  import B2CConnector
  import UIKit

  /// The same for an app on UIKit that opens the user's browser instead of the system's sheet.
  ///
  /// The redirect URI comes back as a URL of the app: `scene(_:openURLContexts:)` for a private-use scheme,
  /// `scene(_:continue:)` for a universal link, and both in `scene(_:willConnectTo:options:)` when the system had ended the
  /// app while the browser was open.
  final class SceneDelegate: NSObject, UIWindowSceneDelegate {
    var window: UIWindow?

    /// One for all scenes, because the system may hand the callback to another scene than the one that opened the page.
    private static let presenter = ExternalBrowserPresenter(
      open: { url in
        guard await UIApplication.shared.open(url) else {
          throw ConnectorError(.presentationFailed, "No app opens the page.")
        }
      })

    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
      guard let scene = scene as? UIWindowScene else { return }
      let window = UIWindow(windowScene: scene)
      window.rootViewController = TasksViewController(presenter: Self.presenter)
      window.makeKeyAndVisible()
      self.window = window
      // A cold launch: the sign-in that this callback belongs to was in the memory of the app that has ended, so it cannot be
      // finished, and the user signs in again. `resume` says so by `false`.
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

    /// A link that is no callback: the app's own.
    private func open(_ url: URL) {}
  }

  /// Signs in with the presenter that all scenes share.
  final class TasksViewController: UIViewController {
    private let presenter: any SignInPresenter
    private var connector: Connector?

    init(presenter: any SignInPresenter) {
      self.presenter = presenter
      super.init(nibName: nil, bundle: nil)
    }

    @available(*, unavailable, message: "This controller is not in a storyboard.")
    required init?(coder: NSCoder) {
      nil
    }

    override func viewDidLoad() {
      super.viewDidLoad()
      title = "Tasks"
      do {
        connector = try Connector(settings: .main, presenter: presenter)
      } catch {
        title = "The settings cannot be used: \(error)"
      }
    }

    /// The action of the button "Sign in".
    func signIn() async {
      do {
        guard let user = try await connector?.doPolicy(.signIn) else { return }
        title = user.name ?? "Tasks"
      } catch let error as ConnectorError {
        title = text(for: error) ?? "Tasks"
      } catch {
        // Cancelled.
      }
    }
  }
#endif
