import B2CConnector
import B2CTestKit
import Foundation
import Observation
import TestSupport
import Testing

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

  var server: LocalTaskServer { scene.tasks }

  init() throws {
    scene.tenant.users = [.alice, .bob, Self.namesake]
    presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(scene.tenant.settings(taskServer: scene.tasks), presenter: presenter)
    self.connector = connector
    model = TasksModel { connector }
  }

  private var isSignedIn: Bool { userID != nil }
  private var userID: String? { if case .signedIn(let id, _) = model.phase { id } else { nil } }
  private var titles: [String] { model.tasks.map(\.itemName) }

  /// Signs in and waits for the list.
  private func signIn(adding title: String? = nil) async {
    await model.signIn()
    await model.restore()
    if let title { #expect(await model.add(title)) }
  }

  /// Signs another user in as well.
  private func add(_ user: LocalUser) async {
    presenter.follow(.signIn(user))
    await model.addAccount()
    await model.restore()
  }

  /// Holds the next response to a request with this method back until the gate opens.
  private func hold(_ method: String, after faults: [LocalFault] = []) -> TestGate {
    let gate = TestGate()
    server.faults = faults + [LocalFault(on: .method(method), times: 1, .holdAnswer(gate))]
    return gate
  }

  @Test("The model follows the session: sign-in, tasks, the end of the session, sign-out")
  func story() async throws {
    let running = Task { await model.run() }
    defer { running.cancel() }
    await waitUntil { model.phase == .signedOut(lastUser: nil) }
    await model.signIn()
    // The list is loaded after the phase has changed, and no task is added before that.
    await waitUntil { isSignedIn && model.hasLoaded && !model.isBusy }
    #expect(model.phase == .signedIn(id: try #require(userID), name: "Alice Example"))
    await model.add("Buy milk")
    await model.add("Feed the cat")
    try #require(model.tasks.count == 2)
    await model.toggle(model.tasks[0])
    try #require(model.tasks.map(\.completed) == [true, false])
    await model.delete(model.tasks[1])
    #expect(titles == ["Buy milk"] && server.tasks(of: LocalUser.alice.id).map(\.text) == titles)
    scene.tenant.revokeGrants()
    await scene.expire()
    await model.reload()
    await waitUntil { model.phase == .signedOut(lastUser: "Alice Example") }
    #expect(model.needsSignIn && model.message == "Please sign in again.")
    await model.signIn()
    await waitUntil { isSignedIn && !model.isBusy }
    #expect(!model.needsSignIn && titles == ["Buy milk"])
    await model.signOut()
    await waitUntil { model.phase == .signedOut(lastUser: nil) }
    #expect(model.tasks.isEmpty && !model.hasLoaded)
  }

  @Test("After an error that only a sign-in helps with, a sign-in loads the list, although the session went on")
  func needsSignIn() async throws {
    await signIn(adding: "Buy milk")
    await scene.expire()
    // The provider may only want another factor here and now.
    scene.transport.answerTokens(400, #"{"error":"interaction_required"}"#, grant: "refresh_token")
    await model.reload()
    #expect(isSignedIn && model.needsSignIn && model.message == "Please sign in again.")
    presenter.follow(.closeBrowser)
    presenter.clearCookies()
    await model.signIn()
    #expect(model.needsSignIn)
    presenter.follow(.signIn(.alice))
    await model.signIn()
    #expect(!model.needsSignIn && titles == ["Buy milk"])
  }

  // MARK: Several users

  @Test("The tasks of one user are not shown to another of the same name, although the list arrives late")
  func otherUser() async throws {
    await signIn(adding: "Alice's")
    let gate = hold("GET")
    let reloading = Task { await model.reload() }
    await gate.waitForArrivals(1)
    presenter.follow(.signIn(Self.namesake))
    try await connector.signIn(options: SignInOptions(prompt: .login))
    await model.restore()
    #expect(isSignedIn && model.tasks.isEmpty)
    gate.open()
    await reloading.value
    #expect(model.tasks.isEmpty && model.message == nil)
  }

  @Test("A selected user sees, changes, edits and signs out only their own account, although another is the latest")
  func selected() async throws {
    await signIn(adding: "Alice's")
    await add(.bob)
    #expect(model.tasks.isEmpty && model.hasLoaded)
    let alice = try #require(model.otherUsers.first)
    await model.select(alice)
    #expect(model.phase == .signedIn(id: alice.id, name: "Alice Example"))
    #expect(model.otherUsers.map(\.name) == ["Bob Example"])
    await model.add("Also Alice's")
    try #require(titles == ["Alice's", "Also Alice's"])
    await model.toggle(model.tasks[0])
    await model.delete(model.tasks[1])
    #expect(server.tasks(of: LocalUser.alice.id).map(\.completed) == [true])
    #expect(server.tasks(of: LocalUser.bob.id).isEmpty)
    presenter.follow([.signIn(.alice), .editProfile(displayName: "Alice B.")])
    await model.editProfile()
    #expect(model.phase == .signedIn(id: alice.id, name: "Alice B."))
    scene.tenant.revokeGrants(of: .alice)
    await scene.expire()
    await model.reload()
    #expect(model.phase == .signedOut(lastUser: "Alice B.") && model.needsSignIn)
    await model.signOut()
    let left = try await connector.users()
    #expect(left.map(\.id) == [userID] && left.first?.name == "Bob Example")
    #expect(model.otherUsers.isEmpty && !model.needsSignIn)
  }

  @Test("With several users, the page asks for the password of the user who must sign in again, and takes no other")
  func renewal() async throws {
    await signIn()
    await add(.bob)
    let alice = try #require(model.otherUsers.first)
    await model.select(alice)
    scene.tenant.revokeGrants(of: .alice)
    await scene.expire()
    await model.reload()
    #expect(model.needsSignIn && model.message == "Please sign in again.")
    await model.signIn()
    #expect(model.needsSignIn)
    #expect(model.message?.contains("You signed in with a different account. Please use the right one.") == true)
    presenter.follow(.signIn(.alice))
    await model.signIn()
    await model.restore()
    #expect(!model.needsSignIn && userID == alice.id && model.hasLoaded)
  }

  @Test("Signing up, editing the profile and another account are offered if the settings and the device have them")
  func policies() async throws {
    #expect(model.canSignUp && model.canEditProfile && model.canAddAccount)
    let other = TasksModel { try Connector.local(LocalTenant(shape: .ciam)) }
    #expect(!other.canSignUp && !other.canEditProfile && other.canAddAccount)
    let watch = TasksModel(signInMethod: .deviceCode) { connector }
    #expect(!watch.canSignUp && !watch.canEditProfile && !watch.canAddAccount)
  }

  // MARK: The list

  @Test("A view that goes away while the list is loading does not take the list with it")
  func cancelledLoad() async throws {
    await model.signIn()
    try await connector.addTask(TaskItem(itemName: "Buy milk"))
    let gate = hold("GET")
    let first = Task { await model.run() }
    await gate.waitForArrivals(1)
    first.cancel()
    let second = Task { await model.run() }
    defer { second.cancel() }
    gate.open()
    await first.value
    await waitUntil { !model.isBusy }
    #expect(isSignedIn && titles == ["Buy milk"] && model.message == nil)
  }

  @Test("If an outcome is unknown or a task is gone, the list is loaded before the message", arguments: [true, false])
  func changedElsewhere(isUnknown: Bool) async throws {
    await signIn(adding: "Buy milk")
    let task = try #require(model.tasks.first)
    let gate = hold("GET", after: [LocalFault(on: .method("POST"), times: 1, .reset)])
    if !isUnknown { server.tasks = [] }
    let changing = Task {
      if isUnknown { #expect(await !model.add("Feed the cat")) } else { await model.toggle(task) }
    }
    await gate.waitForArrivals(1)
    #expect(model.isBusy && model.message == nil)
    gate.open()
    await changing.value
    #expect(titles == (isUnknown ? ["Buy milk", "Feed the cat"] : []))
    let message = "It may have been saved. Look at the list before you repeat it."
    #expect(model.message == (isUnknown ? message : "It is not there any more."))
    #expect(model.messageTitle == (isUnknown ? "There was no answer" : "The task was not changed"))
  }

  @Test("While it is not known whether a task was saved, it is not added again, and no other error hides that")
  func unknownList() async {
    await signIn()
    server.faults = [LocalFault(on: .method("POST"), .reset), LocalFault(on: .method("GET"), .reset)]
    await model.add("Buy milk")
    await model.reload()
    #expect(model.messageTitle == "There was no answer" && model.isShowingMessage)
    model.isShowingMessage = false
    await model.reload()
    #expect(model.messageTitle == "The list could not be loaded" && model.isShowingMessage)
    server.faults = []
    #expect(await !model.add("Buy milk") && !model.hasLoaded)
    await model.reload()
    #expect(titles == ["Buy milk"] && server.tasks.count == 1)
  }

  @Test("A task that someone else deletes first is gone without a message")
  func deletedElsewhere() async {
    await signIn(adding: "Buy milk")
    server.tasks = []
    await model.delete(model.tasks[0])
    #expect(model.tasks.isEmpty && model.message == nil)
    #expect(server.requests.last?.response?.status == 404)
  }

  @Test("A second tap while a change is under way does not do a second thing")
  func secondTap() async throws {
    await signIn(adding: "Buy milk")
    let task = try #require(model.tasks.first)
    server.clearRequests()
    let gate = hold("PUT")
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
    #expect(model.messageTitle == "The task was not deleted" && titles == ["Buy milk"])
  }
}

/// Waits until an observed model shows what is wanted; the suite's time limit ends a wait in vain.
@MainActor
func waitUntil(_ condition: () -> Bool) async {
  while !condition() {
    await withCheckedContinuation { continuation in
      withObservationTracking {
        _ = condition()
      } onChange: {
        continuation.resume()
      }
    }
  }
}
