#if os(Linux)
  import B2CConnector
  import B2CTestKit
  import Foundation

  /// What an app asks of a connector.
  enum Action: @unchecked Sendable {
    case signIn
    case editProfile(Policy)
    case list
    case listOf(person: String)
    case add(title: String)
    case delete(TaskItem, owner: String)
    case token(person: String?, force: Bool)
    case session
    case users
    case signOutAll
    case signOut(person: String)
    case close

    var name: String {
      switch self {
      case .signIn: "signIn"
      case .editProfile: "editProfile"
      case .list: "getTaskList"
      case .listOf(let person): "getTaskList(\(person.prefix(1)))"
      case .add(let title): "addTask(\(title))"
      case .delete(let task, _): "deleteTask(\(task.itemName))"
      case .token(let person, let force):
        "accessToken(\(person.map { String($0.prefix(1)) } ?? "-")\(force ? ", force" : ""))"
      case .session: "session"
      case .users: "users"
      case .signOutAll: "signOut"
      case .signOut(let person): "signOut(\(person.prefix(1)))"
      case .close: "close"
      }
    }

    /// Whether it changes who is signed in.
    var changesPresence: Bool {
      switch self {
      case .signIn, .signOutAll, .signOut: true
      default: false
      }
    }

    var isSignOut: Bool {
      switch self {
      case .signOutAll, .signOut: true
      default: false
      }
    }

    /// Whether it acts for the person who is current.
    var isForCurrent: Bool {
      switch self {
      case .list, .add, .delete: true
      case .token(let person, _): person == nil
      default: false
      }
    }

    func perform(on connector: Connector, _ world: World) async throws -> Answer {
      switch self {
      case .signIn: return .user(try await connector.doPolicy(.signIn))
      case .editProfile(let policy): return .user(try await connector.doPolicy(policy))
      case .list: return .tasks(try await connector.getTaskList())
      case .listOf(let person):
        return .tasks(try await connector.getTaskList(user: UserInfo(id: world.userID(of: person))))
      case .add(let title): return .tasks([try await connector.addTask(TaskItem(itemName: title))])
      case .delete(let task, _):
        try await connector.deleteTask(task)
        return .nothing
      case .token(let person, let force):
        return .token(
          try await connector.accessToken(
            user: person.map { UserInfo(id: world.userID(of: $0)) }, forceRefresh: force))
      case .session: return .session(try await connector.session)
      case .users: return .users(try await connector.users())
      case .signOutAll:
        try await connector.signOut()
        return .nothing
      case .signOut(let person):
        try await connector.signOut(UserInfo(id: world.userID(of: person)))
        return .nothing
      case .close:
        await connector.close()
        return .nothing
      }
    }
  }

  /// What came back.
  enum Answer: Sendable {
    case user(UserInfo)
    case tasks([TaskItem])
    case token(AccessToken)
    case session(SessionState)
    case users([UserInfo])
    case nothing
  }

  /// One call of the public API, from its start to its judgement.
  final class Call: @unchecked Sendable {
    /// The call in whose name transport, page and cache work; it passes through every task that the engine starts.
    @TaskLocal static var current: Call?

    enum Trouble: Hashable {
      case closed, store, refused, cancelled
      /// The store has refused to remove a record.
      case removal
      /// A record was damaged when it began; one was damaged while it was under way.
      case damage, damagedMeanwhile
    }

    let number: Int
    let action: Action
    let app: App
    /// What the person does at a page; `nil` for a call that may open none.
    let plan: PagePlan?
    let startedAt = machine.uptime
    var endedAt: UInt64 = 0
    /// How long its process had been suspended when it began.
    private let suspendedBefore: UInt64
    /// How long its process was suspended meanwhile, in nanoseconds.
    var timeSuspended: UInt64 { app.process.timeSuspended - suspendedBefore }
    /// Who was current at its start, and by which version of that knowledge.
    var expected = Presence.Current.unknown
    var presenceVersion = 0
    /// The same for the device, whose other processes sign in and out too.
    var expectedOnDevice = Presence.Current.unknown
    var devicePresenceVersion = 0
    /// The grant of the person who was current at its start.
    var expectedGrant: Grant?
    private(set) var troubles: Set<Trouble> = []
    var bearers: [(token: String, grant: Grant)] = []
    var refusedTokens: Set<String> = []
    /// The names that the same person gave in other edits at the same time: the provider keeps the last one.
    var otherNames: Set<String> = []
    /// What a sign-in brought.
    var grant: Grant?
    var task: Task<Void, Never>?
    var result: Result<Answer, any Error>?

    init(_ number: Int, _ action: Action, _ app: App, _ plan: PagePlan?) {
      self.number = number
      self.action = action
      self.app = app
      self.plan = plan
      suspendedBefore = app.process.timeSuspended
    }

    var name: String { "#\(number) \(app.name) \(action.name)" }

    func note(_ trouble: Trouble) { troubles.insert(trouble) }

    var error: ConnectorError? {
      if case .failure(let error) = result { error as? ConnectorError } else { nil }
    }

    var succeeded: Bool {
      if case .success = result { true } else { false }
    }

    /// The answer in a few words that are the same in every run.
    var summary: String {
      switch result {
      case nil: "unfinished"
      case .failure(let error):
        (error as? ConnectorError).map {
          "failed: \($0.code.rawValue)\($0.outcomeIsUnknown ? ", outcome unknown" : "")"
        }
          ?? "failed: \(type(of: error))"
      case .success(.user(let user)): "ok: \(user.subject.prefix(1))"
      case .success(.tasks(let tasks)): "ok: \(tasks.map(\.itemName).joined(separator: " "))"
      case .success(.session(.signedIn(let user))): "ok: signedIn \(user.subject.prefix(1))"
      case .success(.session(.expired(let user))): "ok: expired \(user.subject.prefix(1))"
      case .success(.session): "ok: signedOut"
      case .success(.users(let users)): "ok: \(users.map { String($0.id.prefix(1)) }.joined())"
      case .success: "ok"
      }
    }
  }
#endif
