import B2CConnector
import Foundation
import Observation

/// Your app's session, for SwiftUI: who is signed in, the open sign-in page, and the error to show.
///
/// Copy this file and `ErrorText.swift` into your app. Make one model for all windows, start it in the first view, and send
/// every call through ``perform(_:_:)``:
///
/// ```swift
/// @State private var session = SessionModel { try Connector(settings: .main) }
///
/// MyView(session: session).task { await session.run() }
///
/// await session.perform("The task was not added") { try await $0.addTask(task) }
/// ```
///
/// No call throws. What failed is in ``errorTitle`` and ``message`` until you set ``isShowingError`` to `false`, as an alert
/// does.
@MainActor @Observable
final class SessionModel {
  /// The connector; `nil` if the settings cannot be used.
  let connector: Connector?
  /// What is wrong with the settings.
  ///
  /// The text is for you, so show it in debug builds.
  let settingsProblem: String?

  /// Every user who is stored on this device, the one who signed in last first.
  ///
  /// Show them in a menu that calls ``select(_:)``, if several users share your app.
  private(set) var users: [UserInfo] = []
  /// Whether only a sign-in helps, because a call said so.
  ///
  /// ``state`` can still be `.signedIn` then, so show a sign-in button whenever this is `true`.
  private(set) var needsSignIn = false
  /// The last error that your user should see.
  private(set) var error: ConnectorError?
  /// What failed, as a title for ``message``.
  private(set) var errorTitle = ""

  private let showsDeveloperTexts: Bool
  /// What the connector says about the user who signed in last.
  private var latest: SessionState?
  private var selectedID: String?
  private var callsInProgress = 0
  /// The call that waits for the user, at a page or at another device.
  private var waiting: Task<Void, any Error>?

  /// Creates a model for a connector.
  ///
  /// - Parameters:
  ///   - showsDeveloperTexts: Whether ``message`` tells you what to change in Xcode or at the tenant, if your user can do
  ///     nothing.
  ///   - makeConnector: Makes the connector. If it throws, ``settingsProblem`` says why.
  init(showsDeveloperTexts: Bool = isDebugBuild, _ makeConnector: () throws -> Connector) {
    self.showsDeveloperTexts = showsDeveloperTexts
    let made = Result { try makeConnector() }
    connector = try? made.get()
    settingsProblem = if case .failure(let error) = made { "\(error)" } else { nil }
  }
}

// MARK: What your views show

extension SessionModel {
  /// The session of the selected user, or else of the user who signed in last; `nil` until the token cache could be read.
  var state: SessionState? {
    guard let selected = users.first(where: { $0.id == selectedID }) else { return latest }
    return selected.hasSession ? .signedIn(selected) : .expired(selected)
  }

  /// The user who is signed in.
  var user: UserInfo? { if case .signedIn(let user)? = state { user } else { nil } }

  /// The id of the signed-in user, or `nil` while a sign-in is needed.
  ///
  /// Load what belongs to the user whenever it changes.
  var activeUserID: String? { needsSignIn ? nil : user?.id }

  /// The user whom this device knows, whether or not a sign-in is needed.
  ///
  /// There is one while the session has expired, too. If several users share your app, pass this user to each call,
  /// because a call without a user is about the one who signed in last.
  var knownUser: UserInfo? { state?.knownUser }

  /// Whether to show a sign-out button.
  ///
  /// It is also `true` if the stored session can never be read, because `signOut(everyone: true)` removes it.
  var canSignOut: Bool { knownUser != nil || needsSignIn }

  /// Whether the model does not know yet who is signed in.
  ///
  /// Show a `ProgressView` meanwhile.
  var isRestoring: Bool { connector != nil && state == nil && !needsSignIn }

  /// Whether a call is running.
  ///
  /// Disable buttons meanwhile, so that a second tap does nothing twice.
  var isBusy: Bool { callsInProgress > 0 }

  /// Whether a sign-in page is open.
  ///
  /// Show a button that calls ``cancelSignIn()``.
  var isWaitingForUser: Bool { waiting != nil }

  /// Whether there is an error to show; setting it to `false` removes the error.
  var isShowingError: Bool {
    get { error != nil }
    set { if !newValue { error = nil } }
  }

  /// What to tell your user about ``error``.
  var message: String? { error.flatMap { developersText(for: $0) ?? text(for: $0) } }

  /// Whether ``message`` has the words of the provider or of the SDK, which are not in your string catalog.
  var isMessageVerbatim: Bool {
    error.map { developersText(for: $0) != nil || text(for: $0) == $0.serverDescription } ?? true
  }

  private func developersText(for error: ConnectorError) -> String? {
    showsDeveloperTexts ? developerText(for: error) : nil
  }
}

// MARK: What your buttons call

extension SessionModel {
  /// Reads the session, then follows it until the calling task is cancelled.
  ///
  /// - Parameter afterUpdate: Called after ``state`` was read and after each change.
  func run(afterUpdate: @MainActor () async -> Void = {}) async {
    await restore()
    await afterUpdate()
    guard let connector else { return }
    for await new in connector.sessionUpdates {
      show(new, (try? await connector.users()) ?? users)
      await afterUpdate()
    }
  }

  /// Reads the session again.
  ///
  /// Call it when your app becomes active, because the device may have been locked at launch.
  func restore() async {
    guard let connector else { return }
    do {
      show(try await connector.session, try await connector.users())
    } catch let error as ConnectorError {
      // The user is still signed in, so `state` does not change.
      needsSignIn = needsSignIn || error.needsInteraction
      report(error, title: "Your sign-in could not be read")
    } catch {
      // The task was cancelled because its view is gone.
    }
  }

  /// Opens a page and waits for the user.
  ///
  /// Afterwards ``state`` has the new user, or the new claims of the same user.
  ///
  /// - Parameters:
  ///   - kind: What the page does: sign in, sign up, edit the profile and so on.
  ///   - failure: The title of an error.
  ///   - options: Options for this sign-in, in addition to the settings.
  /// - Returns: Whether the user finished the page.
  @discardableResult
  func signIn(
    _ kind: Policy.Kind = .signIn, failure: String = "You are not signed in", options: SignInOptions = SignInOptions()
  ) async -> Bool {
    let isFinished = await waitForUser(failure) { try await $0.doPolicy(kind, options: options) }
    // A profile edit or a new password is no sign-in.
    if isFinished, kind != .profileEdit, kind != .passwordReset { selectedID = nil }
    if isFinished { await readAgain() }
    return isFinished
  }

  /// Shows one of the ``users``, until this user signs out or another one signs in.
  func select(_ user: UserInfo) {
    selectedID = user.id
    // What a call said about one user is not true for another.
    needsSignIn = false
  }

  /// Closes the sign-in page.
  ///
  /// The call that opened it ends without an error.
  ///
  /// The system does not report the end of every page, so only this ends such a wait.
  func cancelSignIn() { waiting?.cancel() }

  /// Signs out the user whom the app shows.
  ///
  /// If others are signed in too, the latest of them is next.
  ///
  /// - Parameter everyone: Whether the others are signed out as well, and records that cannot be read are removed. Pass
  ///   `true` if your app does not let your user choose an account.
  func signOut(everyone: Bool = false) async {
    let user = everyone ? nil : knownUser
    guard everyone || user != nil else { return }
    let isSignedOut = await perform("You are still signed in on this device") { connector in
      if let user { try await connector.signOut(user) } else { try await connector.signOut() }
    }
    if isSignedOut { await readAgain() }
  }

  /// Runs a call of the connector and keeps its error for the alert.
  ///
  /// - Parameters:
  ///   - failure: The title of an error: what did not happen.
  ///   - call: The call.
  /// - Returns: Whether the call succeeded.
  @discardableResult
  func perform(_ failure: String, _ call: @MainActor (Connector) async throws -> Void) async -> Bool {
    guard let connector else { return false }
    callsInProgress += 1
    defer { callsInProgress -= 1 }
    do {
      try await call(connector)
      needsSignIn = false
      return true
    } catch is CancellationError {
      // The user tapped Cancel, or the view is gone.
    } catch let error as ConnectorError {
      needsSignIn = needsSignIn || error.needsInteraction
      report(error, title: failure)
      if error.needsInteraction { await readAgain() }
    } catch {
      report(ConnectorError(.other, "\(type(of: error))", underlying: error), title: failure)
    }
    return false
  }

  /// Runs a call that waits for the user, so that ``cancelSignIn()`` can end it.
  ///
  /// One such call runs at a time.
  ///
  /// - Parameters:
  ///   - failure: The title of an error: what did not happen.
  ///   - call: The call.
  /// - Returns: Whether the call succeeded.
  @discardableResult
  func waitForUser(
    _ failure: String, _ call: @escaping @MainActor (Connector) async throws -> Void
  ) async -> Bool {
    guard waiting == nil else { return false }
    return await perform(failure) { connector in
      let task = Task { try await call(connector) }
      self.waiting = task
      defer { self.waiting = nil }
      try await task.value
    }
  }

  /// Reads what a call has changed, because `sessionUpdates` tells only about the user who signed in last.
  private func readAgain() async {
    guard let connector, let latest = try? await connector.session else { return }
    show(latest, (try? await connector.users()) ?? users)
  }

  private func show(_ latest: SessionState, _ users: [UserInfo]) {
    // The error was about an earlier attempt to read the session.
    if state == nil, error?.code == .tokenCache { error = nil }
    let shownID = knownUser?.id
    (self.latest, self.users) = (latest, users)
    if knownUser?.id != shownID { needsSignIn = false }
  }

  private func report(_ error: ConnectorError, title: String) {
    // A later failure must not hide that a change may have happened.
    guard self.error?.outcomeIsUnknown != true else { return }
    errorTitle = error.outcomeIsUnknown ? "There was no answer" : title
    self.error = error
    // There is nothing to tell if the user closed the page.
    if message == nil { self.error = nil }
  }
}

extension SessionState {
  fileprivate var knownUser: UserInfo? {
    switch self {
    case .signedIn(let user), .expired(let user): user
    case .signedOut: nil
    }
  }
}

// MARK: What you read while you develop

/// Whether this is a debug build.
#if DEBUG
  nonisolated let isDebugBuild = true
#else
  nonisolated let isDebugBuild = false
#endif

/// The text for you, if you may have to change something in Xcode, at the tenant or on your machine.
///
/// It ends with the words that your user reads.
func developerText(for error: ConnectorError) -> String? {
  guard let userText = text(for: error), !error.outcomeIsUnknown else { return nil }
  let concernsYou =
    switch error.code {
    // If the cache fails for good, the app usually lacks a keychain entitlement.
    case .tokenCache: !error.isRetryable
    case _ where error.needsInteraction: false
    // A server that is not running, an entitlement that is missing, or a certificate, but not a device that is offline.
    case .network: !error.isRetryable || isUnreachable(error.underlying)
    case .wrongUser, .passwordResetRequested: true
    default: userText == "That did not work."
    }
  guard concernsYou else { return nil }
  return [error.message, error.recoverySuggestion, "(Only debug builds say this. Your user reads “\(userText)”)"]
    .compactMap(\.self).joined(separator: "\n")
}

private func isUnreachable(_ error: (any Error)?) -> Bool {
  guard let code = (error as? URLError)?.code else { return false }
  return [.cannotConnectToHost, .cannotFindHost, .dnsLookupFailed].contains(code)
}
