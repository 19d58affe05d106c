import B2CConnector
import Observation

/// What the views show: the session, and the tasks of the user.
@MainActor @Observable
final class TasksModel {
  /// What the app shows of its session.
  enum Phase: Equatable {
    /// The token cache has not been read yet, or cannot be read now.
    case launching
    /// The name is that of the user whose session has expired.
    case signedOut(lastUser: String?)
    /// The id tells users apart, because two can have the same name.
    case signedIn(id: String, name: String)
    /// The settings cannot be used.
    ///
    /// The text is for the developer.
    case unusable(String)
  }

  /// How the user signs in.
  enum SignInMethod {
    /// In a page on this device.
    case page
    /// With a code that the user types on another device.
    ///
    /// Azure AD B2C does not offer it.
    case deviceCode

    /// The only method that tvOS and watchOS have is the code, because they cannot show a page.
    nonisolated static var standard: SignInMethod {
      #if os(tvOS) || os(watchOS)
        .deviceCode
      #else
        .page
      #endif
    }
  }

  private(set) var tasks: [TaskItem] = []
  /// Whether the tasks are those of the server.
  ///
  /// An empty list means nothing before that.
  private(set) var hasLoaded = false
  /// What to type on another device while a sign-in waits for it.
  private(set) var deviceCode: DeviceAuthorization?
  /// The task that is being changed.
  ///
  /// Its row shows that, and the others do not.
  private(set) var busyTask: TaskItem.ID?

  private let session: SessionModel
  private let signInMethod: SignInMethod
  /// The id of the user whose tasks these are.
  private var owner: String?
  /// What the last update of the session led to.
  private var lastPhase = Phase.launching

  init(
    signInMethod: SignInMethod = .standard, showsDeveloperTexts: Bool = isDebugBuild,
    _ makeConnector: () throws -> Connector
  ) {
    self.signInMethod = signInMethod
    session = SessionModel(showsDeveloperTexts: showsDeveloperTexts, makeConnector)
  }
}

// MARK: What the views show

extension TasksModel {
  var phase: Phase {
    switch session.state {
    case .signedIn(let user)?: .signedIn(id: user.id, name: user.shownName)
    case .expired(let user)?: .signedOut(lastUser: user.name ?? user.username)
    case .signedOut?: .signedOut(lastUser: nil)
    case nil:
      if let problem = session.settingsProblem {
        .unusable(problem)
      } else {
        // A sign-in replaces a stored session that can never be read.
        session.needsSignIn ? .signedOut(lastUser: nil) : .launching
      }
    }
  }

  /// Whether buttons are disabled and changes refused, so that a second tap does nothing twice.
  var isBusy: Bool { session.isBusy }
  /// Whether a page is open or a code waits for the other device.
  ///
  /// ``cancelSignIn()`` ends the wait.
  var isWaitingForUser: Bool { session.isWaitingForUser }
  /// Whether only a sign-in helps, although a user may still be shown.
  var needsSignIn: Bool { session.needsSignIn }

  /// The title and the text of the alert, which are keys of `Localizable.xcstrings` unless the text is verbatim.
  var messageTitle: String { session.errorTitle }
  var message: String? { session.message }
  var isVerbatim: Bool { session.isMessageVerbatim }
  var isShowingMessage: Bool {
    get { session.isShowingError }
    set { session.isShowingError = newValue }
  }

  /// What the policies in the settings and this device let the user do.
  ///
  /// Only Azure AD B2C has policies of these kinds.
  var canSignUp: Bool { offers(.signUp) }
  var canEditProfile: Bool { offers(.profileEdit) }
  /// Whether there is a page in which another user can sign in.
  var canAddAccount: Bool { signInMethod == .page }

  /// The other users who are stored on this device.
  var otherUsers: [UserInfo] { session.users.filter { $0.id != session.knownUser?.id } }

  private func offers(_ kind: Policy.Kind) -> Bool {
    signInMethod == .page && session.connector?.settings.policies.policy(of: kind) != nil
  }
}

// MARK: The session

extension TasksModel {
  /// Reads the session at launch and follows it, as long as the app's first view is there.
  func run() async {
    await session.run { await self.update() }
  }

  /// Reads the session again when the app becomes active.
  func restore() async {
    await session.restore()
    await update()
  }

  func signIn() async {
    let isRenewal = needsSignIn
    switch signInMethod {
    case .page: await session.signIn(options: optionsForShownUser)
    case .deviceCode:
      await session.waitForUser("You are not signed in") { connector in
        self.session.select(try await connector.signInWithDeviceCode { await self.show($0) }.user)
      }
      deviceCode = nil
    }
    // The session of the same user may have been `.signedIn` all the time, and then no update follows.
    if isRenewal, !needsSignIn { await loadList() }
  }

  func signUp() async {
    await session.signIn(.signUp, failure: "Your account was not created")
  }

  /// Signs in another user with a page that asks for a name, because the browser may remember the present user.
  func addAccount() async {
    await session.signIn(failure: "The account was not added", options: SignInOptions(prompt: .login))
  }

  /// Shows another user who is already stored, without a page.
  func select(_ user: UserInfo) async {
    session.select(user)
    await update()
  }

  func editProfile() async {
    await session.signIn(.profileEdit, failure: "Your profile was not changed", options: optionsForShownUser)
  }

  /// Options for a page about the user who is shown.
  ///
  /// If there are others, the browser may know one of them, so the page asks for the password.
  private var optionsForShownUser: SignInOptions {
    var options = SignInOptions(prompt: otherUsers.isEmpty ? .automatic : .login)
    if !otherUsers.isEmpty { options.user = session.knownUser }
    return options
  }

  /// Closes the page, or stops waiting for the other device.
  func cancelSignIn() { session.cancelSignIn() }

  /// Signs out the user whom the app shows.
  ///
  /// If others are signed in too, the app goes on with the latest of them.
  func signOut() async {
    await session.signOut()
    await update()
  }

  private func show(_ code: DeviceAuthorization) { deviceCode = code }

  /// Removes the tasks of a user who is gone, and loads those of a new one.
  private func update() async {
    switch session.state {
    case .signedIn(let user)?, .expired(let user)?: forgetTasks(unlessOf: user.id)
    case .signedOut?: forgetTasks(unlessOf: nil)
    case nil: return
    }
    guard phase != lastPhase else { return }
    lastPhase = phase
    guard session.user != nil else { return }
    // This is a task of its own, so that the list arrives although a window that asked for it was closed.
    await Task { await loadList() }.value
  }

  /// One user's tasks are never shown to another.
  private func forgetTasks(unlessOf user: String?) {
    guard user != owner else { return }
    owner = user
    tasks = []
    hasLoaded = false
  }
}

// MARK: The tasks

extension TasksModel {
  /// Loads the list again, unless a call is running, because the list could lack what that call changes.
  func reload() async {
    if !isBusy { await loadList() }
  }

  /// Adds a task.
  ///
  /// Returns `false` if it was not added, so that the view keeps what the user typed.
  @discardableResult
  func add(_ title: String) async -> Bool {
    guard !title.allSatisfy(\.isWhitespace) else { return false }
    return await change("The task was not added") { connector, user in
      let task = try await connector.addTask(TaskItem(itemName: title), user: user)
      if user?.id == self.owner { self.tasks.append(task) }
    }
  }

  func toggle(_ task: TaskItem) async {
    var changed = task
    changed.completed.toggle()
    await change("The task was not changed", of: task) { [changed] connector, user in
      let stored = try await connector.updateTask(changed, user: user)
      if let index = self.tasks.firstIndex(where: { $0.id == task.id }) { self.tasks[index] = stored }
    }
  }

  func delete(_ task: TaskItem) async {
    await change("The task was not deleted", of: task) { connector, user in
      // Before the call, because SwiftUI's list has removed the row already.
      self.tasks.removeAll { $0.id == task.id }
      do {
        try await connector.deleteTask(task, user: user)
      } catch ErrorCode.notFound {
        // Someone else has deleted it, which is what the user wanted.
      }
    }
  }

  private func loadList() async {
    await session.perform("The list could not be loaded") { try await self.load($0) }
  }

  private func load(_ connector: Connector) async throws {
    let user = session.knownUser
    let list = try await connector.getTaskList(user: user)
    if user?.id == owner { (tasks, hasLoaded) = (list, true) }
  }

  /// Changes the tasks.
  ///
  /// Only one change runs at a time, and only if the list is shown, so that nothing is done twice.
  ///
  /// If the outcome is unknown or the task is gone, the list is loaded before the message is shown.
  @discardableResult
  private func change(
    _ title: String, of task: TaskItem? = nil, _ call: @MainActor (Connector, UserInfo?) async throws -> Void
  ) async -> Bool {
    guard !isBusy, hasLoaded else { return false }
    let (user, shown) = (session.knownUser, tasks)
    busyTask = task?.id
    defer { busyTask = nil }
    return await session.perform(title) { connector in
      do {
        try await call(connector, user)
      } catch let error as ConnectorError {
        if user?.id == self.owner { self.tasks = shown }
        if error.outcomeIsUnknown || error.code == .notFound {
          do { try await self.load(connector) } catch { self.hasLoaded = false }
        }
        throw error
      }
    }
  }
}

extension UserInfo {
  /// What the app calls this user.
  var shownName: String { name ?? username ?? id }
}
