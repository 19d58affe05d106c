import B2CConnector
import B2CTestKit
import Foundation

/// What an app asks of a connector.
enum Action: @unchecked Sendable {
  /// Signs in, if a person is named only that one; in two calls, what is kept between them goes through JSON.
  case signIn(person: String? = nil, inTwoCalls: Bool = false)
  case editProfile(Policy)
  case resetPassword(Policy)
  case list(person: String? = nil)
  case add(title: String)
  case delete(TaskItem, owner: String)
  case data(person: String?)
  case token(person: String? = nil, force: Bool = false, claims: Bool = false)
  case session
  case users
  case user(person: String)
  case userInfo(person: String?)
  /// Signs out one person, or all; the browser's session ends too, if that is wanted.
  case signOut(person: String? = nil, inBrowser: Bool = false)
  case close

  var name: String {
    var details = [person.map { String($0.prefix(1)) } ?? "", isInBrowser ? "browser" : ""]
    switch self {
    case .signIn(_, let inTwoCalls): details.append(inTwoCalls ? "two calls" : "")
    case .add(let title): details.append(title)
    case .delete(let task, _): details.append(task.itemName)
    case .token(_, let force, let claims): details += [force ? "force" : "", claims ? "claims" : ""]
    default: break
    }
    return ([String("\(self)".prefix { $0 != "(" })] + details.filter { !$0.isEmpty }).joined(separator: " ")
  }

  /// Whether it changes who is signed in.
  var changesPresence: Bool { if case .signIn = self { true } else { isSignOut } }

  var isSignOut: Bool { if case .signOut = self { true } else { false } }

  var isInBrowser: Bool { if case .signOut(_, true) = self { true } else { false } }

  /// Whether it signs a person out.
  func signsOut(_ person: String) -> Bool { isSignOut && self.person ?? person == person }

  /// The person it names.
  var person: String? {
    switch self {
    case .signIn(let person, _), .list(let person), .data(let person), .token(let person, _, _): person
    case .userInfo(let person), .signOut(let person, _): person
    case .user(let person): person
    default: nil
    }
  }

  /// Whether it acts for the person who is current.
  var isForCurrent: Bool {
    switch self {
    case .add, .delete: true
    case .list, .data, .token, .userInfo: person == nil
    default: false
    }
  }

  /// Whether it wants a new token, whatever is stored.
  var mustRefresh: Bool { if case .token(_, let force, let claims) = self { force || claims } else { false } }

  func perform(on connector: Connector, _ app: App) async throws -> Answer {
    let world = app.process.world
    let user = person.map { UserInfo(id: world.userID(of: $0)) }
    switch self {
    case .signIn(_, let inTwoCalls):
      var options = SignInOptions()
      options.user = user
      guard inTwoCalls else { return .user(try await connector.doPolicy(.signIn, options: options)) }
      let pending = try await connector.beginSignIn(options: options)
      let kept = try JSONEncoder().encode(pending)
      let callback = try await SimulatedPage(process: app.process).show(pending.url)
      let read = try JSONDecoder().decode(PendingSignIn.self, from: kept)
      // Any connector with the same settings can finish it.
      let finishing = machine.draw.one(of: app.process.apps + [app]).connector ?? connector
      return .user(try await finishing.finishSignIn(read, callback: callback).user)
    case .editProfile(let policy), .resetPassword(let policy): return .user(try await connector.doPolicy(policy))
    case .list: return .tasks(try await connector.getTaskList(user: user))
    case .add(let title): return .tasks([try await connector.addTask(TaskItem(itemName: title))])
    case .delete(let task, _): try await connector.deleteTask(task)
    case .data:
      if let url = world.settings.taskWebAPI { _ = try await connector.data(for: URLRequest(url: url), user: user) }
    case .token(_, let force, let claims):
      let claims = claims ? #"{"access_token":{"acrs":null}}"# : nil
      return .token(try await connector.accessToken(user: user, forceRefresh: force, claims: claims))
    case .session: return .session(try await connector.session)
    case .users: return .users(try await connector.users())
    case .user(let person): return .users([try await connector.user(id: world.userID(of: person))].compactMap(\.self))
    case .userInfo: return .user(try await connector.fetchUserInfo(user: user))
    case .signOut(_, let inBrowser):
      if let user {
        try await connector.signOut(user, endsBrowserSession: inBrowser)
      } else {
        try await connector.signOut(endsBrowserSession: inBrowser)
      }
    case .close: await connector.close()
    }
    return .nothing
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
    /// The password of the person at its page was changed.
    case password
  }

  let number: Int
  let action: Action
  let app: App
  /// What the person does at a page; `nil` for a call that may open none.
  let plan: PagePlan?
  let startedAt = machine.uptime
  var endedAt: UInt64 = 0
  private let suspendedBefore: UInt64
  /// Who was current at its start, and by which version of that knowledge.
  var expected = Presence.Current.unknown
  var presenceVersion = 0
  /// The same for the device, whose other processes sign in and out too.
  var expectedOnDevice = Presence.Current.unknown
  var devicePresenceVersion = 0
  private(set) var troubles: Set<Trouble> = []
  var bearers: [(token: String, grant: Grant)] = []
  var refusedTokens: Set<String> = []
  /// The names that the same person gave in other edits at the same time: the provider keeps the last one.
  var otherNames: Set<String> = []
  /// What a sign-in brought.
  var grant: Grant?
  /// How many pages it has shown.
  var pages = 0
  /// When it was cancelled, by the uptime.
  private(set) var cancelled: UInt64?
  var task: Task<Void, Never>?
  var result: Result<Answer, any Error>?

  init(_ number: Int, _ action: Action, _ app: App, _ plan: PagePlan?) {
    self.number = number
    self.action = action
    self.app = app
    self.plan = plan
    suspendedBefore = app.process.timeSuspended
  }

  var process: AppProcess { app.process }

  var name: String { "#\(number) \(app.name) \(action.name)" }

  /// How long its process was suspended meanwhile, in nanoseconds.
  var timeSuspended: UInt64 { process.timeSuspended - suspendedBefore }

  func note(_ trouble: Trouble) { troubles.insert(trouble) }

  func cancel() {
    note(.cancelled)
    cancelled = cancelled ?? machine.uptime
    task?.cancel()
  }

  /// Whether nobody in its process, and none on the device, has signed in or out since it began.
  var isPresenceUnchanged: Bool { presenceVersion == process.presence.version }
  var isDevicePresenceUnchanged: Bool { devicePresenceVersion == process.world.presence.version }

  var error: ConnectorError? { if case .failure(let error) = result { error as? ConnectorError } else { nil } }

  var succeeded: Bool { if case .success = result { true } else { false } }

  /// The answer in a few words that are the same in every run.
  var summary: String {
    switch result {
    case nil: "unfinished"
    case .failure(let error as ConnectorError):
      "failed: \(error.code.rawValue)\(error.outcomeIsUnknown ? ", outcome unknown" : "")"
    case .failure(let error): "failed: \(type(of: error))"
    case .success(.user(let user)): "ok: \(user.subject.prefix(1))"
    case .success(.tasks(let tasks)): "ok: \(tasks.map(\.itemName).joined(separator: " "))"
    case .success(.session(let state)): "ok: \(state.words)"
    case .success(.users(let users)): "ok: \(users.map { String($0.id.prefix(1)) }.joined())"
    case .success: "ok"
    }
  }
}

extension SessionState {
  var user: UserInfo? {
    switch self {
    case .signedOut: nil
    case .signedIn(let user), .expired(let user): user
    }
  }

  /// The state and the person in a few words.
  var words: String {
    switch self {
    case .signedOut: "signedOut"
    case .signedIn(let user): "signedIn \(user.subject.prefix(1))"
    case .expired(let user): "expired \(user.subject.prefix(1))"
    }
  }
}
