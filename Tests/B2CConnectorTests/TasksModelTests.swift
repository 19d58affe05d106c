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

  private var isSignedIn: Bool {
    if case .signedIn = model.phase { true } else { false }
  }

  @Test("It follows the session: sign-in, tasks, the end of the session, sign-out")
  func story() async throws {
    let running = Task { await model.run() }
    defer { running.cancel() }
    await wait { $0.phase == .signedOut(lastUser: nil) }
    await model.signIn()
    await wait { $0.phase == .signedIn(id: $0.phase.userID ?? "", name: "Alice Example") && !$0.isBusy }
    await model.add("Buy milk")
    await model.add("Feed the cat")
    await model.toggle(model.tasks[0])
    #expect(model.tasks.map(\.completed) == [true, false])
    await model.delete([model.tasks[1]])
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
    await model.signIn()
    await model.restore()
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
    await model.signIn()
    await model.restore()
    await model.add("Alice's")
    #expect(model.tasks.count == 1)
    presenter.follow(.signIn(Self.namesake))
    try await connector.signIn(options: SignInOptions(prompt: .login))
    let gate = TestGate()
    server.faults = [LocalFault(on: .list, .wait(gate))]
    let restoring = Task { await model.restore() }
    await gate.waitForArrivals(1)
    #expect(isSignedIn && model.tasks.isEmpty)
    gate.open()
    await restoring.value
    #expect(model.tasks.isEmpty && model.message == nil)
  }

  @Test("A list that arrives after the user has changed is not shown")
  func lateList() async throws {
    await model.signIn()
    await model.restore()
    await model.add("Alice's")
    let gate = TestGate()
    server.faults = [LocalFault(on: .list, times: 1, .holdAnswer(gate))]
    let reloading = Task { await model.reload() }
    await gate.waitForArrivals(1)
    try await connector.signOut()
    await model.restore()
    gate.open()
    await reloading.value
    #expect(model.phase == .signedOut(lastUser: nil) && model.tasks.isEmpty)
  }

  @Test("A task that may have been saved is not called a matter of trying again")
  func unknownOutcome() async throws {
    await model.signIn()
    await model.restore()
    server.faults = [LocalFault(on: .add, .reset)]
    await model.add("Buy milk")
    #expect(model.message == "It may have been saved. Look at the list before you repeat it.")
    server.faults = []
    await model.reload()
    #expect(model.tasks.map(\.itemName) == ["Buy milk"])
  }

  @Test("A view that goes away while the list is loading does not take the list with it")
  func cancelledLoad() async throws {
    await model.signIn()
    try await connector.addTask(TaskItem(itemName: "Buy milk"))
    let gate = TestGate()
    server.faults = [LocalFault(on: .list, times: 1, .wait(gate))]
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
    await model.signIn()
    await model.restore()
    await model.add("Buy milk")
    let task = try #require(model.tasks.first)
    server.clearRequests()
    let gate = TestGate()
    server.faults = [LocalFault(on: .method("PUT"), times: 1, .wait(gate))]
    let first = Task { await model.toggle(task) }
    await gate.waitForArrivals(1)
    let others = Task {
      await model.toggle(task)
      await model.delete([task])
      await model.add("Feed the cat")
      gate.open()
    }
    await others.value
    await first.value
    #expect(server.requests.map(\.request.method) == ["PUT"])
    #expect(model.tasks.map(\.completed) == [true])
  }

  @Test("Return in an empty field adds nothing and says nothing", arguments: ["", "  "])
  func emptyTitle(title: String) async {
    await model.signIn()
    await model.restore()
    server.clearRequests()
    await model.add(title)
    #expect(server.requests.isEmpty && model.message == nil)
  }

  @Test("A title that was not added is the view's to keep")
  func keepsTitle() async {
    await model.signIn()
    await model.restore()
    server.faults = [LocalFault(on: .add, .change { $0 = LocalResponse(status: 400) })]
    #expect(await !model.add("Buy milk"))
    #expect(model.message != nil)
    server.faults = []
    #expect(await model.add("Buy milk"))
    #expect(model.tasks.map(\.itemName) == ["Buy milk"])
  }

  @Test("An empty list and one that has not come are told apart")
  func hasLoaded() async throws {
    server.faults = [LocalFault(on: .list, .reset)]
    await model.signIn()
    await model.restore()
    #expect(isSignedIn && !model.hasLoaded)
    server.faults = []
    await model.reload()
    #expect(model.hasLoaded && model.tasks.isEmpty)
    await model.signOut()
    await model.restore()
    #expect(!model.hasLoaded)
  }

  @Test("A message has the title of what was tried, and none of it when the outcome is unknown")
  func titles() async throws {
    await model.signIn()
    await model.restore()
    server.faults = [LocalFault(on: .add, .change { $0 = LocalResponse(status: 400) })]
    await model.add("Buy milk")
    #expect(model.messageTitle == "The task was not added")
    server.faults = [LocalFault(on: .add, .reset)]
    await model.add("Buy milk")
    #expect(model.messageTitle == "There was no answer")
  }

  @Test("Signing up, editing the profile and another account are offered where the settings have them")
  func policies() async throws {
    #expect(model.canSignUp && model.canEditProfile && model.canSwitchAccount)
    await model.signIn()
    await model.restore()
    presenter.follow(.editProfile(displayName: "Alice B. Example"))
    await model.editProfile()
    await model.restore()
    #expect(model.phase == .signedIn(id: model.phase.userID ?? "", name: "Alice B. Example"))
    presenter.follow(.signIn(Self.namesake))
    await model.switchAccount()
    await model.restore()
    #expect(try await connector.users().count == 2)
    #expect(try await connector.userInfo().id == model.phase.userID)
    #expect(model.phase == .signedIn(id: model.phase.userID ?? "", name: "Alice Example"))
    let external = LocalTenant(shape: .ciam)
    let other = TasksModel { try Connector.local(external) }
    #expect(!other.canSignUp && !other.canEditProfile && other.canSwitchAccount)
    let watch = TasksModel(signInMethod: .deviceCode) { connector }
    #expect(!watch.canSignUp && !watch.canEditProfile && !watch.canSwitchAccount)
  }

  @Test("Every text of the app can be translated")
  func catalog() throws {
    struct Catalog: Decodable {
      struct Entry: Decodable {}
      let strings: [String: Entry]
    }
    let sources = Self.docs.appending(path: "Examples/TasksApp/Sources")
    let catalog = try JSONDecoder().decode(
      Catalog.self, from: Data(contentsOf: sources.appending(path: "Localizable.xcstrings")))
    var texts: Set<String> = []
    for name in ["TasksModel", "TasksViews", "TaskListView", "ErrorText"] {
      let source = try String(contentsOf: sources.appending(path: "\(name).swift"), encoding: .utf8)
      // A text begins with a capital letter and has a space or stands in a view.
      for match in source.matches(of: /"([A-Z][^"\\]*)"/) where !match.1.isEmpty { texts.insert(String(match.1)) }
    }
    #expect(texts.count > 30)
    #expect(texts.subtracting(catalog.strings.keys).isEmpty)
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
