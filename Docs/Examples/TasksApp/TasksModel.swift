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

  private(set) var phase = Phase.launching
  private(set) var tasks: [TaskItem] = []
  /// A page is open or a call under way: buttons are disabled, so that a second tap does not do a second thing.
  var isBusy: Bool { callsUnderWay > 0 }
  /// What to tell the user.
  private(set) var message: String?
  /// Whether there is something to tell; setting it to `false` takes the message away.
  var isShowingMessage: Bool {
    get { message != nil }
    set { if !newValue { message = nil } }
  }
  /// Whether only a sign-in helps: the error says so, and the session may be `.signedIn` all the same.
  private(set) var needsSignIn = false

  private var callsUnderWay = 0
  private var connector: Connector?
  /// The id of the user whose tasks these are.
  private var owner: String?

  init(_ makeConnector: () throws -> Connector) {
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
      message = text(for: error)
    } catch {
      // The view has gone.
    }
  }

  func signIn() async {
    let isRenewal = needsSignIn
    await perform { try await $0.doPolicy(.signIn) }
    // The session of the same user may have been `.signedIn` all the time, so no update comes.
    if isRenewal, !needsSignIn { await reload() }
  }

  func signOut() async {
    await perform { try await $0.signOut() }
  }

  func reload() async {
    let user = owner
    await perform {
      let list = try await $0.getTaskList()
      if user == self.owner { self.tasks = list }
    }
  }

  func add(_ title: String) async {
    let user = owner
    await perform {
      let task = try await $0.addTask(TaskItem(itemName: title))
      if user == self.owner { self.tasks.append(task) }
    }
  }

  func toggle(_ task: TaskItem) async {
    var changed = task
    changed.completed.toggle()
    await perform { [changed] in
      let stored = try await $0.updateTask(changed)
      if let index = self.tasks.firstIndex(of: task) { self.tasks[index] = stored }
    }
  }

  func delete(_ deleted: [TaskItem]) async {
    await perform {
      for task in deleted {
        try await $0.deleteTask(task)
        if let index = self.tasks.firstIndex(of: task) { self.tasks.remove(at: index) }
      }
    }
  }

  private func show(_ state: SessionState) async {
    switch state {
    case .signedIn(let user):
      forgetTasks(unlessOf: user.id)
      let next = Phase.signedIn(id: user.id, name: user.name ?? user.username ?? user.id)
      guard phase != next else { return }
      phase = next
      await reload()
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
    needsSignIn = false
  }

  /// Runs a call and turns its error into a text; the session's own change arrives in `run()`.
  private func perform(_ call: (Connector) async throws -> Void) async {
    guard let connector else { return }
    callsUnderWay += 1
    defer { callsUnderWay -= 1 }
    do {
      try await call(connector)
      needsSignIn = false
    } catch is CancellationError {
      // The view has gone.
    } catch let error as ConnectorError {
      needsSignIn = needsSignIn || error.needsInteraction
      message = text(for: error)
    } catch {
      message = "That did not work."
    }
  }
}
