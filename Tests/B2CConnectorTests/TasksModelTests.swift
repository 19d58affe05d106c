import B2CConnector
import B2CHTTP
import B2CTestKit
import Foundation
import Observation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The model of `Docs/Examples/TasksApp`, as readers copy it.
@Suite("The example app's model", .hangLimit) @MainActor
struct TasksModelTests {
  /// Another person of the same name as Alice.
  static let namesake = LocalUser(
    email: "alice2@example.com", password: "Not-A-Secret-3", displayName: LocalUser.alice.displayName)

  let clock = TestClock()
  let tenant: LocalTenant
  let server: LocalTaskServer
  let presenter: ScriptedPresenter
  let cache = LockableCache()
  let connector: Connector
  let model: TasksModel

  init() throws {
    let clock = clock
    tenant = LocalTenant(users: [.alice, Self.namesake], now: { clock.date })
    server = LocalTaskServer(tenant: tenant, dialect: .rest)
    presenter = ScriptedPresenter(transport: LocalNetwork(tenant, server, clock: clock), .signIn(.alice))
    let connector = try Connector.local(tenant, server, presenter: presenter, cache: cache, clock: clock)
    self.connector = connector
    model = TasksModel { connector }
  }

  private static let docs = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(path: "Docs")

  /// Waits until the model shows what is wanted; the suite's time limit ends a wait in vain.
  private func wait(until condition: (TasksModel) -> Bool) async {
    while !condition(model) {
      await withCheckedContinuation { continuation in
        withObservationTracking {
          _ = condition(model)
        } onChange: {
          continuation.resume()
        }
      }
    }
  }

  private var isSignedIn: Bool { model.phase.userID != nil }

  /// Signs in and waits for the list.
  private func signIn() async {
    await model.signIn()
    await model.restore()
  }

  @Test("It follows the session: sign-in, tasks, the end of the session, sign-out")
  func story() async throws {
    let running = Task { await model.run() }
    defer { running.cancel() }
    await wait { $0.phase == .signedOut(lastUser: nil) }
    await model.signIn()
    // The list is loaded after the phase has changed, and no task is added before that.
    await wait { $0.phase.userID != nil && $0.hasLoaded && !$0.isBusy }
    #expect(model.phase == .signedIn(id: try #require(model.phase.userID), name: "Alice Example"))
    await model.add("Buy milk")
    await model.add("Feed the cat")
    try #require(model.tasks.count == 2)
    await model.toggle(model.tasks[0])
    try #require(model.tasks.map(\.completed) == [true, false])
    await model.delete(model.tasks[1])
    #expect(model.tasks.map(\.itemName) == ["Buy milk"])
    #expect(server.tasks(of: LocalUser.alice.id).map(\.text) == ["Buy milk"])
    tenant.revokeGrants()
    await clock.advance(by: .seconds(4_000))
    await model.reload()
    await wait { $0.phase == .signedOut(lastUser: "Alice Example") }
    #expect(model.needsSignIn && model.message == "Please sign in again.")
    await model.signIn()
    await wait { $0.phase.userID != nil && !$0.isBusy }
    #expect(!model.needsSignIn && model.tasks.map(\.itemName) == ["Buy milk"])
    await model.signOut()
    await wait { $0.phase == .signedOut(lastUser: nil) }
    #expect(model.tasks.isEmpty)
  }

  @Test("An error that only a sign-in helps with is said so, though the session goes on")
  func needsSignIn() async throws {
    await signIn()
    await model.add("Buy milk")
    await clock.advance(by: .seconds(4_000))
    tenant.behavior.changeIDTokenClaims = { $0["sub"] = "another-person" }
    await model.reload()
    #expect(isSignedIn)
    #expect(model.needsSignIn && model.message == "Please sign in again.")
    presenter.follow(.closeBrowser)
    presenter.clearCookies()
    await model.signIn()
    #expect(model.needsSignIn)
    tenant.behavior.changeIDTokenClaims = nil
    presenter.follow(.signIn(.alice))
    await model.signIn()
    #expect(!model.needsSignIn && model.tasks.map(\.itemName) == ["Buy milk"])
  }

  @Test("A token cache that cannot be read at launch is read again")
  func unreadableCache() async throws {
    await model.signIn()
    await cache.lock(true)
    await model.restore()
    #expect(model.phase == .launching)
    #expect(model.message == "Your sign-in could not be read or saved. Try again.")
    await cache.lock(false)
    await model.restore()
    #expect(isSignedIn && model.message == nil)
  }

  @Test("The tasks of one user are not shown to another of the same name")
  func otherUser() async throws {
    await signIn()
    await model.add("Alice's")
    #expect(model.tasks.count == 1)
    presenter.follow(.signIn(Self.namesake))
    try await connector.signIn(options: SignInOptions(prompt: .login))
    let gate = TestGate()
    server.faults = [LocalFault(on: .method("GET"), .wait(gate))]
    let restoring = Task { await model.restore() }
    await gate.waitForArrivals(1)
    #expect(isSignedIn && model.tasks.isEmpty)
    gate.open()
    await restoring.value
    #expect(model.tasks.isEmpty && model.message == nil)
  }

  @Test("A list that arrives after the user has changed is not shown")
  func lateList() async throws {
    await signIn()
    await model.add("Alice's")
    let gate = TestGate()
    server.faults = [LocalFault(on: .method("GET"), times: 1, .holdAnswer(gate))]
    let reloading = Task { await model.reload() }
    await gate.waitForArrivals(1)
    try await connector.signOut()
    await model.restore()
    gate.open()
    await reloading.value
    #expect(model.phase == .signedOut(lastUser: nil) && model.tasks.isEmpty)
  }

  enum Change: CaseIterable { case add, toggle, delete }

  @Test(
    "Where the outcome is unknown or the task is gone, the list is loaded before the message",
    arguments: Change.allCases)
  func changedElsewhere(change: Change) async throws {
    await signIn()
    await model.add("Buy milk")
    let task = try #require(model.tasks.first)
    let gate = TestGate()
    server.faults = [
      LocalFault(on: .method("POST"), times: 1, .reset), LocalFault(on: .method("GET"), times: 1, .holdAnswer(gate)),
    ]
    if change != .add { server.tasks = [] }
    let changing = Task {
      switch change {
      case .add: #expect(await !model.add("Feed the cat"))
      case .toggle: await model.toggle(task)
      case .delete: await model.delete(task)
      }
    }
    await gate.waitForArrivals(1)
    #expect(model.isBusy && model.message == nil)
    gate.open()
    await changing.value
    let (titles, message) =
      change == .add
      ? (["Buy milk", "Feed the cat"], "It may have been saved. Look at the list before you repeat it.")
      : ([], "It is not there any more.")
    #expect(model.tasks.map(\.itemName) == titles && model.message == message)
    #expect((model.messageTitle == "There was no answer") == (change == .add))
  }

  @Test("While it is not known whether a task was saved, it is not added again")
  func unknownList() async {
    await signIn()
    server.faults = [LocalFault(on: .method("POST"), .reset), LocalFault(on: .method("GET"), .reset)]
    await model.add("Buy milk")
    server.faults = []
    #expect(await !model.add("Buy milk") && !model.hasLoaded)
    await model.reload()
    #expect(model.tasks.map(\.itemName) == ["Buy milk"] && server.tasks.count == 1)
  }

  @Test("A view that goes away while the list is loading does not take the list with it")
  func cancelledLoad() async throws {
    await model.signIn()
    try await connector.addTask(TaskItem(itemName: "Buy milk"))
    let gate = TestGate()
    server.faults = [LocalFault(on: .method("GET"), times: 1, .wait(gate))]
    let first = Task { await model.run() }
    await gate.waitForArrivals(1)
    first.cancel()
    let second = Task { await model.run() }
    defer { second.cancel() }
    gate.open()
    await first.value
    await wait { !$0.isBusy }
    #expect(isSignedIn && model.tasks.map(\.itemName) == ["Buy milk"])
    #expect(model.message == nil)
  }

  @Test("A second tap while a change is under way does not do a second thing")
  func secondTap() async throws {
    await signIn()
    await model.add("Buy milk")
    let task = try #require(model.tasks.first)
    server.clearRequests()
    let gate = TestGate()
    server.faults = [LocalFault(on: .method("PUT"), times: 1, .wait(gate))]
    let first = Task { await model.toggle(task) }
    await gate.waitForArrivals(1)
    #expect(model.busyTask == task.id)
    await model.toggle(task)
    await model.delete(task)
    await model.add("Feed the cat")
    // It may lack the change.
    await model.reload()
    gate.open()
    await first.value
    #expect(server.requests.map(\.request.method) == ["PUT"])
    #expect(model.tasks.map(\.completed) == [true] && model.busyTask == nil)
  }

  @Test("Return in an empty field adds nothing and says nothing", arguments: ["", "  "])
  func emptyTitle(title: String) async {
    await signIn()
    server.clearRequests()
    await model.add(title)
    #expect(server.requests.isEmpty && model.message == nil)
  }

  @Test("What the server refuses is as before, under the title of what was tried")
  func refused() async {
    await signIn()
    await model.add("Buy milk")
    server.faults = [LocalFault(on: .any, .change { $0 = LocalResponse(status: 400) })]
    #expect(await !model.add("Feed the cat"))
    #expect(model.messageTitle == "The task was not added" && model.message != nil)
    await model.delete(model.tasks[0])
    #expect(model.messageTitle == "The task was not deleted")
    #expect(model.tasks.map(\.itemName) == ["Buy milk"])
    server.faults = []
    #expect(await model.add("Feed the cat"))
  }

  @Test("An empty list and one that has not come are told apart")
  func hasLoaded() async throws {
    server.faults = [LocalFault(on: .method("GET"), .reset)]
    await signIn()
    #expect(isSignedIn && !model.hasLoaded)
    server.faults = []
    await model.reload()
    #expect(model.hasLoaded && model.tasks.isEmpty)
    await model.signOut()
    await model.restore()
    #expect(!model.hasLoaded)
  }

  @Test("Signing up, editing the profile and another account are offered where the settings have them")
  func policies() async throws {
    #expect(model.canSignUp && model.canEditProfile && model.canSwitchAccount)
    await signIn()
    presenter.follow(.editProfile(displayName: "Alice B. Example"))
    await model.editProfile()
    await model.restore()
    #expect(model.phase == .signedIn(id: model.phase.userID ?? "", name: "Alice B. Example"))
    presenter.follow(.signIn(Self.namesake))
    await model.switchAccount()
    await model.restore()
    #expect(try await connector.users().count == 2)
    #expect(try await connector.fetchUserInfo().id == model.phase.userID)
    #expect(model.phase == .signedIn(id: model.phase.userID ?? "", name: "Alice Example"))
    // The one who is shown leaves, and no other.
    await model.signOut()
    await model.restore()
    #expect(model.phase == .signedIn(id: model.phase.userID ?? "", name: "Alice B. Example"))
    let external = LocalTenant(shape: .ciam)
    let other = TasksModel { try Connector.local(external) }
    #expect(!other.canSignUp && !other.canEditProfile && other.canSwitchAccount)
    let watch = TasksModel(signInMethod: .deviceCode) { connector }
    #expect(!watch.canSignUp && !watch.canEditProfile && !watch.canSwitchAccount)
  }

  @Test("The catalogue has every text of the app, and no other")
  func catalog() throws {
    struct Catalog: Decodable {
      struct Entry: Decodable {}
      let strings: [String: Entry]
    }
    let sources = Self.docs.appending(path: "Examples/TasksApp/Sources")
    let catalog = try JSONDecoder().decode(
      Catalog.self, from: Data(contentsOf: sources.appending(path: "Localizable.xcstrings")))
    var texts: Set = ["completed", "to do"]
    for name in ["SessionModel", "TasksModel", "TasksViews", "TaskListView", "ErrorText"] {
      let source = try String(contentsOf: sources.appending(path: "\(name).swift"), encoding: .utf8)
      // A text begins with a capital letter.
      for match in source.matches(of: /"([A-Z](?:[^"\\]|\\\([^)]*\))*)"/) {
        texts.insert(String(match.1.replacing(/\\\([^)]*\)/, with: "%@")))
      }
    }
    #expect(texts.symmetricDifference(catalog.strings.keys) == [])
  }

  @Test("The guide shows the app's texts for errors")
  func guide() throws {
    func read(_ path: String) throws -> String {
      try String(contentsOf: Self.docs.appending(path: path), encoding: .utf8)
    }
    let guide = try read("Errors.md")
    let file = try read("Examples/TasksApp/Sources/ErrorText.swift")
    #expect(guide.contains("```swift\n\(file)```\n"))
  }
}

extension TasksModel.Phase {
  fileprivate var userID: String? {
    if case .signedIn(let id, _) = self { id } else { nil }
  }
}

/// A cache that cannot be read while the device is locked.
actor LockableCache: TokenCache {
  private let records = InMemoryTokenCache()
  private var isLocked = false

  func lock(_ isLocked: Bool) { self.isLocked = isLocked }

  private func check() throws {
    if isLocked { throw ConnectorError(.tokenCache, "The device is locked.", isRetryable: true) }
  }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    try check()
    return await records.record(for: key)
  }

  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try check()
    await records.store(record, for: key)
  }

  func removeRecord(for key: TokenCacheKey) async throws {
    try check()
    await records.removeRecord(for: key)
  }

  func keys() async throws -> [TokenCacheKey] {
    try check()
    return await records.keys()
  }
}
