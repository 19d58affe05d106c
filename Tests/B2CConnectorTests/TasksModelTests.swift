import B2CConnector
import B2CHTTP
import B2CTestKit
import Foundation
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

  let scene = Scene(dialect: .rest)
  let presenter: ScriptedPresenter
  let connector: Connector
  let model: TasksModel

  var tenant: LocalTenant { scene.tenant }
  var server: LocalTaskServer { scene.tasks }

  init() throws {
    scene.tenant.users = [.alice, Self.namesake]
    presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(scene.tenant.settings(taskServer: scene.tasks), presenter: presenter)
    self.connector = connector
    model = TasksModel { connector }
  }

  private var isSignedIn: Bool { model.phase.userID != nil }

  /// Signs in and waits for the list.
  private func signIn(adding title: String? = nil) async {
    await model.signIn()
    await model.restore()
    if let title { #expect(await model.add(title)) }
  }

  @Test("The model follows the session: sign-in, tasks, the end of the session, sign-out")
  func story() async throws {
    let running = Task { await model.run() }
    defer { running.cancel() }
    await waitUntil { model.phase == .signedOut(lastUser: nil) }
    await model.signIn()
    // The list is loaded after the phase has changed, and no task is added before that.
    await waitUntil { isSignedIn && model.hasLoaded && !model.isBusy }
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
    await scene.clock.advance(by: .seconds(4_000))
    await model.reload()
    await waitUntil { model.phase == .signedOut(lastUser: "Alice Example") }
    #expect(model.needsSignIn && model.message == "Please sign in again.")
    await model.signIn()
    await waitUntil { isSignedIn && !model.isBusy }
    #expect(!model.needsSignIn && model.tasks.map(\.itemName) == ["Buy milk"])
    await model.signOut()
    await waitUntil { model.phase == .signedOut(lastUser: nil) }
    #expect(model.tasks.isEmpty && !model.hasLoaded)
  }

  @Test("After an error that only a sign-in helps with, a sign-in loads the list, although the session went on")
  func needsSignIn() async throws {
    await signIn(adding: "Buy milk")
    await scene.clock.advance(by: .seconds(4_000))
    // The provider may only want another factor here and now.
    scene.transport.answerTokens(400, #"{"error":"interaction_required"}"#, grant: "refresh_token")
    await model.reload()
    #expect(isSignedIn)
    #expect(model.needsSignIn && model.message == "Please sign in again.")
    presenter.follow(.closeBrowser)
    presenter.clearCookies()
    await model.signIn()
    #expect(model.needsSignIn)
    presenter.follow(.signIn(.alice))
    await model.signIn()
    #expect(!model.needsSignIn && model.tasks.map(\.itemName) == ["Buy milk"])
  }

  @Test("The tasks of one user are not shown to another of the same name")
  func otherUser() async throws {
    await signIn(adding: "Alice's")
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

  @Test("A user who is selected sees, changes and signs out only their own account, although another is the latest")
  func selected() async throws {
    scene.tenant.users += [.bob]
    await signIn(adding: "Alice's")
    presenter.follow(.signIn(.bob))
    await model.addAccount()
    await model.restore()
    #expect(model.tasks.isEmpty && model.hasLoaded)
    let alice = try #require(model.otherUsers.first)
    await model.select(alice)
    #expect(
      model.phase == .signedIn(id: alice.id, name: "Alice Example") && model.otherUsers.map(\.name) == ["Bob Example"])
    await model.add("Also Alice's")
    try #require(model.tasks.map(\.itemName) == ["Alice's", "Also Alice's"])
    await model.toggle(model.tasks[0])
    await model.delete(model.tasks[1])
    #expect(server.tasks(of: LocalUser.alice.id).map(\.completed) == [true])
    #expect(server.tasks(of: LocalUser.bob.id).isEmpty)
    await model.signOut()
    await model.restore()
    let left = try await connector.users()
    #expect(left.map(\.id) == [model.phase.userID] && left.first?.name == "Bob Example" && model.otherUsers.isEmpty)
  }

  @Test("With several users, the page asks for the password of the user who must sign in again, and takes no other")
  func renewal() async throws {
    scene.tenant.users += [.bob]
    await signIn()
    presenter.follow(.signIn(.bob))
    await model.addAccount()
    await model.restore()
    let alice = try #require(model.otherUsers.first)
    await model.select(alice)
    tenant.revokeGrants(of: .alice)
    await scene.clock.advance(by: .seconds(4_000))
    await model.reload()
    #expect(model.needsSignIn && model.message == "Please sign in again.")
    await model.signIn()
    #expect(model.needsSignIn)
    #expect(model.message?.contains("You signed in with a different account. Please use the right one.") == true)
    presenter.follow(.signIn(.alice))
    await model.signIn()
    await model.restore()
    #expect(!model.needsSignIn && model.phase.userID == alice.id && model.hasLoaded)
  }

  @Test("A list that arrives after the user has changed is not shown")
  func lateList() async throws {
    await signIn(adding: "Alice's")
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

  enum Change: CaseIterable { case add, toggle }

  @Test(
    "If the outcome is unknown or the task is gone, the list is loaded before the message", arguments: Change.allCases)
  func changedElsewhere(change: Change) async throws {
    await signIn(adding: "Buy milk")
    let task = try #require(model.tasks.first)
    let gate = TestGate()
    server.faults = [
      LocalFault(on: .method("POST"), times: 1, .reset), LocalFault(on: .method("GET"), times: 1, .holdAnswer(gate)),
    ]
    if change == .toggle { server.tasks = [] }
    let changing = Task {
      switch change {
      case .add: #expect(await !model.add("Feed the cat"))
      case .toggle: await model.toggle(task)
      }
    }
    await gate.waitForArrivals(1)
    #expect(model.isBusy && model.message == nil)
    gate.open()
    await changing.value
    let isUnknown = change == .add
    #expect(model.tasks.map(\.itemName) == (isUnknown ? ["Buy milk", "Feed the cat"] : []))
    let message = "It may have been saved. Look at the list before you repeat it."
    #expect(model.message == (isUnknown ? message : "It is not there any more."))
    #expect((model.messageTitle == "There was no answer") == isUnknown)
  }

  @Test("A task that someone else deletes first is gone without a message")
  func deletedElsewhere() async {
    await signIn(adding: "Buy milk")
    server.tasks = []
    await model.delete(model.tasks[0])
    #expect(model.tasks.isEmpty && model.message == nil)
    #expect(server.requests.last?.response?.status == 404)
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
    await waitUntil { !model.isBusy }
    #expect(isSignedIn && model.tasks.map(\.itemName) == ["Buy milk"])
    #expect(model.message == nil)
  }

  @Test("A second tap while a change is under way does not do a second thing")
  func secondTap() async throws {
    await signIn(adding: "Buy milk")
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

  @Test("Return in an empty field adds nothing, and a refused change leaves the list under the title of what was tried")
  func refused() async {
    await signIn(adding: "Buy milk")
    server.clearRequests()
    for title in ["", "  "] { #expect(await !model.add(title)) }
    #expect(server.requests.isEmpty && model.message == nil)
    server.faults = [LocalFault(on: .any, .change { $0 = LocalResponse(status: 400) })]
    #expect(await !model.add("Feed the cat"))
    #expect(model.messageTitle == "The task was not added" && model.message != nil)
    await model.delete(model.tasks[0])
    #expect(model.messageTitle == "The task was not deleted")
    #expect(model.tasks.map(\.itemName) == ["Buy milk"])
  }

  @Test("Signing up, editing the profile and another account are offered if the settings and the device have them")
  func policies() async throws {
    #expect(model.canSignUp && model.canEditProfile && model.canAddAccount)
    await signIn()
    presenter.follow(.editProfile(displayName: "Alice B. Example"))
    await model.editProfile()
    await model.restore()
    #expect(model.phase == .signedIn(id: model.phase.userID ?? "", name: "Alice B. Example"))
    presenter.follow(.signIn(Self.namesake))
    await model.addAccount()
    await model.restore()
    #expect(try await connector.users().count == 2)
    #expect(model.phase == .signedIn(id: model.phase.userID ?? "", name: "Alice Example"))
    // The one who is shown leaves, and no other.
    await model.signOut()
    await model.restore()
    #expect(model.phase == .signedIn(id: model.phase.userID ?? "", name: "Alice B. Example"))
    let other = TasksModel { try Connector.local(LocalTenant(shape: .ciam)) }
    #expect(!other.canSignUp && !other.canEditProfile && other.canAddAccount)
    let watch = TasksModel(signInMethod: .deviceCode) { connector }
    #expect(!watch.canSignUp && !watch.canEditProfile && !watch.canAddAccount)
  }
}

extension TasksModel.Phase {
  fileprivate var userID: String? {
    if case .signedIn(let id, _) = self { id } else { nil }
  }
}
