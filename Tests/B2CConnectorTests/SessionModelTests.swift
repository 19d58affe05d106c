import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The session model for SwiftUI, as readers copy it from `Docs/Examples/TasksApp`, which ``TasksModelTests`` tests too.
@Suite("The session model for SwiftUI", .hangLimit) @MainActor
struct SessionModelTests {
  private static let notLoaded = "The list could not be loaded"

  private let scene = Scene()
  private let presenter: ScriptedPresenter
  private let connector: Connector
  private let session: SessionModel

  init() throws {
    presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(scene.tenant.settings(taskServer: scene.tasks), presenter: presenter)
    self.connector = connector
    session = SessionModel(showsDeveloperTexts: true) { connector }
  }

  private func load() async -> Bool {
    await session.perform(Self.notLoaded) { _ = try await $0.getTaskList() }
  }

  @Test("The title says what did not happen, the message why, and closing the alert removes both")
  func reportsError() async {
    struct Foreign: Error {}
    await session.signIn()
    scene.tasks.faults = [LocalFault(.offline)]
    #expect(await !load())
    #expect(session.errorTitle == Self.notLoaded && session.error?.code == .network && !session.needsSignIn)
    #expect(session.message == "No connection, or it took too long. Try again." && !session.isMessageVerbatim)
    session.isShowingError = false
    #expect(session.error == nil && session.message == nil)
    // An error that is not the SDK's has a text as well.
    await session.perform("The task was not shown") { _ in throw Foreign() }
    #expect(session.error?.code == .other && session.error?.underlying is Foreign)
    #expect(session.message?.hasPrefix("Foreign") == true && session.errorTitle == "The task was not shown")
  }

  @Test("While a sign-in is needed, no user is active, although the session goes on")
  func activeUser() async {
    await session.signIn()
    let id = session.activeUserID
    // The provider may only want another factor here and now.
    scene.transport.answerTokens(400, #"{"error":"interaction_required"}"#, grant: "refresh_token")
    await scene.expire()
    #expect(await !load())
    #expect(session.needsSignIn && session.user?.id == id && session.activeUserID == nil)
    #expect(await session.signIn())
    #expect(id != nil && session.activeUserID == id)
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

  @Test("A session that cannot be read is not a sign-out, and a sign-in may be offered", arguments: [true, false])
  func unreadableCache(canNeverBeRead: Bool) async throws {
    let error = ConnectorError(
      .tokenCache, "The records cannot be read.", isRetryable: !canNeverBeRead, needsInteraction: canNeverBeRead)
    let connector = try scene.connector(cache: HookedCache { _ in throw error })
    let session = SessionModel(showsDeveloperTexts: false) { connector }
    #expect(session.isRestoring)
    await session.restore()
    #expect(session.state == nil && session.isShowingError && session.isRestoring != canNeverBeRead)
    #expect(session.errorTitle == "Your sign-in could not be read" && session.needsSignIn == canNeverBeRead)
    #expect(session.canSignOut == canNeverBeRead)
  }

  @Test("A new password is no sign-in, so the model goes on showing the selected user")
  func passwordReset() async {
    presenter.follow([.signIn(.bob), .signIn(.alice)])
    await session.signIn()
    await session.signIn(options: SignInOptions(prompt: .login))
    session.select(session.users[1])
    presenter.follow([.resetPassword(email: LocalUser.alice.email, newPassword: "Another-1")])
    #expect(await session.signIn(.passwordReset))
    #expect(session.user?.name == "Bob Example" && session.users.count == 2)
  }

  @Test("A sign-out of everyone does not depend on what the model could read")
  func signsOutUnread() async throws {
    for user in [LocalUser.bob, .alice] {
      presenter.follow(.signIn(user))
      try await connector.signIn(options: SignInOptions(prompt: .login))
    }
    #expect(session.state == nil)
    await session.signOut()
    #expect(try await connector.users().count == 2)
    await session.signOut(everyone: true)
    #expect(try await connector.users().isEmpty)
    #expect(session.state == .signedOut && session.knownUser == nil)
  }

  @Test("The view of the README is that of Getting started")
  func viewOfTheGuides() throws {
    func view(_ page: String) throws -> Substring {
      let text = try String(contentsOf: packageDirectory.appending(path: page), encoding: .utf8)
      let start = try #require(text.range(of: "```swift\nimport B2CConnector\nimport SwiftUI\n"))
      let end = try #require(text.range(of: "\n```", range: start.upperBound..<text.endIndex))
      return text[start.lowerBound..<end.lowerBound]
    }
    #expect(try view("README.md") == view("Docs/GettingStarted.md"))
    #expect(try view("README.md").split(separator: "\n", omittingEmptySubsequences: false).count <= 61)
  }
}
