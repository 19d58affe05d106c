import B2CConnector
import Observation

/// What the views show: who is signed in, and the tasks.
@MainActor @Observable
final class TasksModel {
  /// What the app is doing with its user.
  enum Phase: Equatable {
    case launching
    /// The name is that of the user whose session has expired.
    case signedOut(lastUser: String?)
    case signedIn(name: String)
    /// The settings or the token cache cannot be used; the text is for the developer.
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

  private var callsUnderWay = 0
  private var connector: Connector?

  init(_ makeConnector: () throws -> Connector) {
    do {
      connector = try makeConnector()
    } catch {
      phase = .unusable("\(error)")
    }
  }

  /// Restores the session at launch and follows it; runs as long as the app's first view.
  func run() async {
    guard let connector else { return }
    do {
      await show(try await connector.session)
    } catch {
      // Such as before the device was unlocked for the first time. No user is signed out by it.
      phase = .unusable("\(error)")
    }
    for await state in connector.sessionUpdates { await show(state) }
  }

  func signIn() async {
    await perform { try await $0.doPolicy(.signIn) }
  }

  func editProfile() async {
    await perform { try await $0.doPolicy(.profileEdit) }
  }

  func signOut() async {
    await perform { try await $0.signOut() }
  }

  func reload() async {
    await perform { self.tasks = try await $0.getTaskList() }
  }

  func add(_ title: String) async {
    await perform { self.tasks.append(try await $0.addTask(TaskItem(itemName: title))) }
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
      let next = Phase.signedIn(name: user.name ?? user.username ?? user.id)
      guard phase != next else { return }
      phase = next
      await reload()
    case .expired(let user): phase = .signedOut(lastUser: user.name ?? user.username)
    case .signedOut:
      phase = .signedOut(lastUser: nil)
      tasks = []
    }
  }

  /// Runs a call and turns its error into a text; the session's own change arrives in `run()`.
  private func perform(_ call: (Connector) async throws -> Void) async {
    guard let connector else { return }
    callsUnderWay += 1
    defer { callsUnderWay -= 1 }
    do {
      try await call(connector)
    } catch is CancellationError {
      // The view has gone.
    } catch let error as ConnectorError {
      message = Self.text(for: error)
    } catch {
      message = "That did not work."
    }
  }

  /// The text for a user; `nil` when there is nothing to say.
  private static func text(for error: ConnectorError) -> String? {
    switch error.code {
    case .userClosedBrowser, .userCancelledInPage: nil
    case .network, .timedOut: "No connection. Check it and try again."
    case .serviceUnavailable, .throttled, .server: "The service is busy. Try again in a minute."
    case _ where error.outcomeIsUnknown: "It is not certain that this was saved. Reload the list before you repeat it."
    case _ where error.needsInteraction: "Please sign in again."
    default: "That did not work (\(error.code.rawValue))."
    }
  }
}
