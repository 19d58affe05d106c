import B2CConnector
import Observation

/// What the views show: who is signed in, and the tasks.
@MainActor @Observable
final class TasksModel {
  /// What the app is doing with its user.
  enum Phase: Equatable {
    /// Nothing is known yet, also while the token cache cannot be read.
    case launching
    /// The name is that of the user whose session has expired.
    case signedOut(lastUser: String?)
    /// The id tells users apart; two may have one name.
    case signedIn(id: String, name: String)
    /// The settings cannot be used; the text is for the developer.
    case unusable(String)
  }

  /// How the user signs in.
  enum SignInMethod {
    /// In a page on this device.
    case page
    /// With a code that the user types on another device. Azure AD B2C does not offer it.
    case deviceCode

    /// tvOS and watchOS cannot show a page.
    nonisolated static var standard: SignInMethod {
      #if os(tvOS) || os(watchOS)
        .deviceCode
      #else
        .page
      #endif
    }
  }

  private(set) var phase = Phase.launching
  private(set) var tasks: [TaskItem] = []
  /// Whether the tasks are those of the server: an empty list before that is no news.
  private(set) var hasLoaded = false
  /// What to type on another device while a sign-in waits for it.
  private(set) var deviceCode: DeviceAuthorization?
  /// A page is open or a call under way: buttons are disabled, and a change of the tasks is refused, so that a second tap
  /// does not do a second thing.
  var isBusy: Bool { callsUnderWay > 0 }
  /// Whether a page is open, or a code waits for the other device: ``cancelSignIn()`` ends the wait.
  var isWaitingForUser: Bool { waiting != nil }
  /// The task that is being changed: its row says so, and the others stay as they are.
  private(set) var busyTask: TaskItem.ID?
  /// What to tell the user; a key of `Localizable.xcstrings`, as the title is, unless it is verbatim.
  private(set) var message: String?
  /// Whether the message is in the words of the server or of the SDK, which are in no catalogue and no Markdown.
  private(set) var isVerbatim = false
  /// What the message is about.
  private(set) var messageTitle = ""
  /// Whether there is something to tell; setting it to `false` takes the message away.
  var isShowingMessage: Bool {
    get { message != nil }
    set { if !newValue { message = nil } }
  }
  /// Whether only a sign-in helps: the error says so, and the session may be `.signedIn` all the same.
  private(set) var needsSignIn = false

  /// What the settings' policies and this device let the user do; only Azure AD B2C has policies of these kinds.
  var canSignUp: Bool { offers(.signUp) }
  var canEditProfile: Bool { offers(.profileEdit) }
  /// Whether there is a page to choose another account in.
  var canSwitchAccount: Bool { signInMethod == .page }

  private let signInMethod: SignInMethod
  private let showsDeveloperTexts: Bool
  /// The wait for the user, at a page or at another device.
  private var waiting: Task<Void, any Error>?
  private var callsUnderWay = 0
  private var connector: Connector?
  /// The id of the user whose tasks these are.
  private var owner: String?

  init(
    signInMethod: SignInMethod = .standard, showsDeveloperTexts: Bool = isDebugBuild,
    _ makeConnector: () throws -> Connector
  ) {
    self.signInMethod = signInMethod
    self.showsDeveloperTexts = showsDeveloperTexts
    do {
      connector = try makeConnector()
    } catch {
      phase = .unusable("\(error)")
    }
  }

  /// Restores the session at launch and follows it; runs as long as the app's first view.
  func run() async {
    await restore()
    guard let connector else { return }
    for await state in connector.sessionUpdates { await show(state) }
  }

  /// Reads the session: at launch, and again whenever the app becomes active.
  func restore() async {
    guard let connector else { return }
    do {
      let state = try await connector.session
      if phase == .launching { message = nil }
      await show(state)
    } catch let error as ConnectorError {
      // Such as before the device was unlocked for the first time. No user is signed out by it: what is shown stays.
      report(error, as: "Your sign-in was not found")
    } catch {
      // The view has gone.
    }
  }

  func signIn() async {
    let isRenewal = needsSignIn
    await waitForUser("You are not signed in") { [signInMethod] connector in
      switch signInMethod {
      case .page: try await connector.doPolicy(.signIn)
      case .deviceCode: try await connector.signInWithDeviceCode { await self.show($0) }
      }
    }
    deviceCode = nil
    // The session of the same user may have been `.signedIn` all the time, so no update comes.
    if isRenewal, !needsSignIn { await loadList() }
  }

  func signUp() async {
    await waitForUser("There is no new account") { try await $0.doPolicy(.signUp) }
  }

  /// Signs in once more, with a page that asks who it is: the browser may remember the present user.
  func switchAccount() async {
    await waitForUser("You are signed in as before") {
      try await $0.doPolicy(.signIn, options: SignInOptions(prompt: .login))
    }
  }

  func editProfile() async {
    await waitForUser("Your profile is as before") { try await $0.doPolicy(.profileEdit) }
  }

  /// Stops waiting for the user, and takes the page away.
  ///
  /// The system does not report every page that has gone, so only this button ends such a wait.
  func cancelSignIn() {
    waiting?.cancel()
  }

  /// Signs out the user who is shown; where another one is signed in too, the app goes on with that one.
  func signOut() async {
    guard let owner else { return }
    await perform("Your sign-in is still stored on this device") { try await $0.signOut(UserInfo(id: owner)) }
  }

  /// Loads the list again, unless a call is under way: a list that was asked for during a change may lack it.
  func reload() async {
    if !isBusy { await loadList() }
  }

  /// Adds a task; `false` when it was not added, so that the view keeps what the user typed.
  @discardableResult
  func add(_ title: String) async -> Bool {
    guard !title.allSatisfy(\.isWhitespace) else { return false }
    let user = owner
    return await change("The task was not added") {
      let task = try await $0.addTask(TaskItem(itemName: title))
      if user == self.owner { self.tasks.append(task) }
    }
  }

  func toggle(_ task: TaskItem) async {
    var changed = task
    changed.completed.toggle()
    await change("The task was not changed", of: task) { [changed] in
      let stored = try await $0.updateTask(changed)
      if let index = self.tasks.firstIndex(where: { $0.id == task.id }) { self.tasks[index] = stored }
    }
  }

  func delete(_ task: TaskItem) async {
    await change("The task was not deleted", of: task) {
      // At once, since the list of SwiftUI has removed the row already.
      self.tasks.removeAll { $0.id == task.id }
      try await $0.deleteTask(task)
    }
  }

  private func show(_ state: SessionState) async {
    switch state {
    case .signedIn(let user):
      forgetTasks(unlessOf: user.id)
      let next = Phase.signedIn(id: user.id, name: user.name ?? user.username ?? user.id)
      guard phase != next else { return }
      phase = next
      // A task of its own: a view that goes away, such as one of two windows, must not take the list with it.
      await Task { await loadList() }.value
    case .expired(let user):
      forgetTasks(unlessOf: user.id)
      phase = .signedOut(lastUser: user.name ?? user.username)
    case .signedOut:
      forgetTasks(unlessOf: nil)
      phase = .signedOut(lastUser: nil)
    }
  }

  /// One user's tasks are never shown to another.
  private func forgetTasks(unlessOf user: String?) {
    guard user != owner else { return }
    owner = user
    tasks = []
    hasLoaded = false
    needsSignIn = false
  }

  private func show(_ code: DeviceAuthorization) { deviceCode = code }

  private func offers(_ kind: Policy.Kind) -> Bool {
    signInMethod == .page && connector?.settings.policies.policy(of: kind) != nil
  }

  private func loadList() async {
    await perform("The list could not be loaded") { try await self.load($0) }
  }

  private func load(_ connector: Connector) async throws {
    let user = owner
    let list = try await connector.getTaskList()
    if user == owner { (tasks, hasLoaded) = (list, true) }
  }

  /// Changes the tasks: one change at a time, and only of a list that is shown, so that nothing is done twice.
  ///
  /// Where the outcome is unknown or the task is gone, the list is loaded first, and then the message is shown.
  @discardableResult
  private func change(
    _ title: String, of task: TaskItem? = nil, _ call: (Connector) async throws -> Void
  ) async -> Bool {
    guard !isBusy, hasLoaded else { return false }
    let (user, shown) = (owner, tasks)
    busyTask = task?.id
    defer { busyTask = nil }
    return await perform(title) { connector in
      do {
        try await call(connector)
      } catch let error as ConnectorError {
        if user == self.owner { self.tasks = shown }
        if error.outcomeIsUnknown || error.code == .notFound {
          do { try await self.load(connector) } catch { self.hasLoaded = false }
        }
        throw error
      }
    }
  }

  /// Runs a call that waits for the user, in a task that the button "Cancel" cancels.
  private func waitForUser(_ title: String, _ call: @escaping (Connector) async throws -> Void) async {
    await perform(title) { connector in
      let task = Task { try await call(connector) }
      waiting = task
      defer { if waiting == task { waiting = nil } }
      try await task.value
    }
  }

  /// Runs a call and turns its error into a text; the session's own change arrives in `run()`.
  @discardableResult
  private func perform(_ title: String, _ call: (Connector) async throws -> Void) async -> Bool {
    guard let connector else { return false }
    callsUnderWay += 1
    defer { callsUnderWay -= 1 }
    do {
      try await call(connector)
      needsSignIn = false
      return true
    } catch is CancellationError {
      // The view has gone, or the user has cancelled.
    } catch let error as ConnectorError {
      needsSignIn = needsSignIn || error.needsInteraction
      report(error, as: title)
    } catch {
      (messageTitle, message, isVerbatim) = (title, "That did not work.", false)
    }
    return false
  }

  private func report(_ error: ConnectorError, as title: String) {
    let developerText = showsDeveloperTexts ? developerText(for: error) : nil
    messageTitle = error.outcomeIsUnknown ? "There was no answer" : title
    message = developerText ?? text(for: error)
    isVerbatim = developerText != nil || message == error.serverDescription
  }
}
