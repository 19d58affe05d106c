import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The session model for SwiftUI, as readers copy it from `Docs/Examples/TasksApp`.
@Suite("The session model for SwiftUI", .hangLimit) @MainActor
struct SessionModelTests {
  private let scene = Scene()
  private let presenter: ScriptedPresenter
  private let connector: Connector
  private let session: SessionModel

  init() throws {
    presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    self.connector = connector
    session = SessionModel(showsDeveloperTexts: true) { connector }
  }

  @Test("The state follows a sign-in and a sign-out, and the caller of `run` is told after each change")
  func followsSession() async {
    #expect(session.state == nil && session.user == nil)
    let (states, continuation) = AsyncStream.makeStream(of: SessionState?.self)
    let running = Task { await session.run { continuation.yield(session.state) } }
    defer { running.cancel() }
    var told = states.makeAsyncIterator()
    #expect(await told.next() == .signedOut)
    #expect(await session.signIn())
    while let state = await told.next(), state == .signedOut {}
    #expect(session.user?.name == "Alice Example" && session.activeUserID == session.user?.id)
    await session.signOut()
    await waitUntil { session.state == .signedOut }
    #expect(session.activeUserID == nil && !session.isShowingError)
  }

  @Test("Cancel closes the page without an error, and a second tap meanwhile opens no other page")
  func cancelsPage() async throws {
    let gate = TestGate()
    let connector = try scene.connector(presenter: WaitingPresenter(inner: presenter) { try await gate.wait() })
    let session = SessionModel { connector }
    let signingIn = Task { await session.signIn() }
    await gate.waitForArrivals(1)
    #expect(session.isWaitingForUser && session.isBusy)
    #expect(await !session.signIn())
    session.cancelSignIn()
    #expect(await !signingIn.value)
    #expect(!session.isWaitingForUser && !session.isBusy && !session.isShowingError && !session.needsSignIn)
    #expect(gate.arrivals == 1)
  }

  @Test("A user who closes the page sees no error")
  func closedPage() async {
    presenter.follow(.closeBrowser)
    #expect(await !session.signIn())
    #expect(!session.isShowingError && session.message == nil)
  }

  @Test("The title says what did not happen, the message why, and closing the alert removes both")
  func reportsError() async {
    await session.signIn()
    scene.tasks.faults = [LocalFault(.offline)]
    #expect(await !session.perform("The list could not be loaded") { _ = try await $0.getTaskList() })
    #expect(session.errorTitle == "The list could not be loaded" && session.error?.code == .network)
    #expect(session.message == "No connection, or it took too long. Try again." && !session.isMessageVerbatim)
    session.isShowingError = false
    #expect(session.error == nil && session.message == nil)
    #expect(!session.needsSignIn)
  }

  @Test("If the outcome of a change is unknown, the title does not say that nothing happened")
  func unknownOutcome() async {
    await session.signIn()
    scene.tasks.faults = [LocalFault(on: .method("POST"), times: 1, .reset)]
    await session.perform("The task was not added") { try await $0.addTask(TaskItem(itemName: "Buy milk")) }
    #expect(session.errorTitle == "There was no answer")
    #expect(session.message == "It may have been saved. Look at the list before you repeat it.")
  }

  @Test("A list that fails to load does not hide that a task may have been added")
  func unknownOutcomeStays() async {
    await session.signIn()
    scene.tasks.faults = [LocalFault(on: .method("POST"), .reset), LocalFault(on: .method("GET"), .offline)]
    await session.perform("The task was not added") { try await $0.addTask(TaskItem(itemName: "Buy milk")) }
    let isLoaded = await session.perform("The list could not be loaded") { _ = try await $0.getTaskList() }
    #expect(!isLoaded && session.errorTitle == "There was no answer" && session.error?.outcomeIsUnknown == true)
    session.isShowingError = false
    await session.perform("The list could not be loaded") { _ = try await $0.getTaskList() }
    #expect(session.errorTitle == "The list could not be loaded" && session.error?.code == .network)
  }

  @Test("After an error that only a sign-in helps with, a sign-in makes the user active again")
  func needsSignIn() async {
    let running = Task { await session.run() }
    defer { running.cancel() }
    await session.signIn()
    await waitUntil { session.activeUserID != nil }
    let id = session.activeUserID
    scene.transport.answerTokens(400, #"{"error":"interaction_required"}"#, grant: "refresh_token")
    await scene.clock.advance(by: .seconds(4_000))
    await session.perform("The list could not be loaded") { _ = try await $0.getTaskList() }
    // The session goes on, because the provider may only want another factor here and now.
    #expect(session.user?.id == id && session.needsSignIn && session.activeUserID == nil)
    #expect(session.message == "Please sign in again.")
    #expect(await session.signIn())
    #expect(session.activeUserID == id)
  }

  @Test("Settings that cannot be used are told to the developer, and no call does anything")
  func unusableSettings() async throws {
    let session = SessionModel { throw ConnectorError(.settings, "clientId: The key is missing.") }
    #expect(session.settingsProblem?.contains("clientId") == true && session.connector == nil)
    await session.run()
    #expect(await !session.signIn())
    await session.signOut()
    #expect(session.state == nil && !session.isShowingError && !session.isBusy && !session.isRestoring)
  }

  @Test(
    "A session that cannot be read is not a sign-out, and if it can never be read, a sign-in is offered",
    arguments: [true, false])
  func unreadableCache(canNeverBeRead: Bool) async throws {
    let error = ConnectorError(
      .tokenCache, "The records cannot be read.", isRetryable: !canNeverBeRead, needsInteraction: canNeverBeRead)
    let connector = try scene.connector(cache: RefusingCache(error))
    let session = SessionModel(showsDeveloperTexts: false) { connector }
    #expect(session.isRestoring)
    await session.restore()
    #expect(session.state == nil && session.isShowingError && session.isRestoring != canNeverBeRead)
    #expect(session.errorTitle == "Your sign-in could not be read" && session.needsSignIn == canNeverBeRead)
    #expect(session.canSignOut == canNeverBeRead)
  }

  @Test("A sign-out removes the user who is shown, and the one before is next")
  func signsOutOne() async throws {
    presenter.follow([.signIn(.bob), .signIn(.alice)])
    await session.signIn()
    await session.signIn(options: SignInOptions(prompt: .login))
    await session.restore()
    #expect(session.user?.name == "Alice Example")
    await session.signOut()
    await session.restore()
    #expect(session.user?.name == "Bob Example")
    #expect(try await connector.users().count == 1)
  }

  @Test("The selected user's new name, expired session and sign-out are shown, although another user is the latest")
  func leavesSelected() async throws {
    let connector = try scene.connector(scene.tenant.settings(taskServer: scene.tasks), presenter: presenter)
    let session = SessionModel { connector }
    let running = Task { await session.run() }
    defer { running.cancel() }
    presenter.follow([.signIn(.bob), .signIn(.alice)])
    await session.signIn()
    await session.signIn(options: SignInOptions(prompt: .login))
    await waitUntil { session.users.count == 2 }
    let bob = session.users[1]
    session.select(bob)
    #expect(session.user?.name == "Bob Example")
    presenter.follow([.signIn(.bob), .editProfile(displayName: "Bob B.")])
    var options = SignInOptions(prompt: .login)
    options.user = bob
    #expect(await session.signIn(.profileEdit, options: options))
    #expect(session.user?.name == "Bob B.")
    // A new password is no sign-in, so the model goes on showing Bob.
    presenter.follow([.resetPassword(email: LocalUser.alice.email, newPassword: "Another-1")])
    #expect(await session.signIn(.passwordReset))
    #expect(session.user?.name == "Bob B.")
    scene.tenant.revokeGrants(of: .bob)
    await scene.clock.advance(by: .seconds(4_000))
    await session.perform("The list could not be loaded") { _ = try await $0.getTaskList(user: bob) }
    #expect(session.knownUser?.id == bob.id && session.user == nil && session.needsSignIn)
    await session.signOut()
    #expect(session.user?.name == "Alice Example" && session.users.count == 1 && !session.needsSignIn)
  }

  @Test("A sign-out of everyone leaves no user")
  func signsOutEveryone() async throws {
    presenter.follow([.signIn(.bob), .signIn(.alice)])
    await session.signIn()
    await session.signIn(options: SignInOptions(prompt: .login))
    await session.restore()
    #expect(try await connector.users().count == 2 && session.knownUser?.name == "Alice Example")
    await session.signOut(everyone: true)
    await session.restore()
    #expect(session.state == .signedOut && session.knownUser == nil)
    #expect(try await connector.users().isEmpty)
  }

  @Test("A sign-out of everyone does not depend on what the model could read")
  func signsOutUnread() async throws {
    try await connector.doPolicy(.signIn)
    #expect(session.state == nil)
    await session.signOut()
    #expect(try await connector.users().count == 1)
    await session.signOut(everyone: true)
    #expect(try await connector.users().isEmpty)
  }

  @Test("A user whose session has expired can still be signed out")
  func signsOutExpired() async {
    await session.signIn()
    await session.restore()
    scene.tenant.revokeGrants(of: .alice)
    await scene.clock.advance(by: .seconds(4_000))
    await session.perform("The list could not be loaded") { _ = try await $0.getTaskList() }
    await session.restore()
    #expect(session.user == nil && session.knownUser?.name == "Alice Example")
    await session.signOut()
    await session.restore()
    #expect(session.state == .signedOut)
  }

  @Test("An error that is not the SDK's has a text as well")
  func foreignError() async {
    struct Foreign: Error {}
    await session.perform("The task was not shown") { _ in throw Foreign() }
    #expect(session.error?.code == .other && session.error?.underlying is Foreign)
    #expect(session.message?.hasPrefix("Foreign") == true && session.errorTitle == "The task was not shown")
  }

  @Test("The view of the README is that of Getting started")
  func viewOfTheGuides() throws {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    func view(_ page: String) throws -> Substring {
      let text = try String(contentsOf: root.appending(path: page), encoding: .utf8)
      let start = try #require(text.range(of: "```swift\nimport B2CConnector\nimport SwiftUI\n"))
      let end = try #require(text.range(of: "\n```", range: start.upperBound..<text.endIndex))
      return text[start.lowerBound..<end.lowerBound]
    }
    #expect(try view("README.md") == view("Docs/GettingStarted.md"))
    #expect(try view("README.md").split(separator: "\n", omittingEmptySubsequences: false).count <= 61)
  }
}
