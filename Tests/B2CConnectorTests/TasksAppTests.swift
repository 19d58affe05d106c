import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The example app without a page, with errors for its developer, and with the files of its project.
@Suite("The example app's other ways in", .hangLimit) @MainActor
struct TasksAppPlatformTests {
  private static let docs = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(path: "Docs")

  @Test(
    "Without a page, a code is typed on another device, and a wait that is cancelled says nothing",
    arguments: [true, false])
  func deviceCode(isTyped: Bool) async throws {
    let scene = Scene(shape: .entra, holdsTime: true)
    let connector = try scene.connector()
    let model = TasksModel(signInMethod: .deviceCode) { connector }
    let signIn = Task { await model.signIn() }
    await scene.clock.waitForSleepers()
    let code = try #require(model.deviceCode)
    if isTyped {
      #expect(scene.tenant.approveDevice(userCode: code.userCode, email: LocalUser.alice.email))
      await scene.clock.advance(by: .seconds(5))
    } else {
      model.cancelSignIn()
    }
    await signIn.value
    #expect(model.deviceCode == nil && model.message == nil && !model.isBusy)
    #expect(try await connector.users().map(\.username) == (isTyped ? [LocalUser.alice.email] : []))
  }

  enum PageCall: CaseIterable { case signIn, signUp, addAccount, editProfile }

  @Test("A page whose end nobody reports can be cancelled, and the next one works", arguments: PageCall.allCases)
  func cancelledPage(call: PageCall) async throws {
    let (scene, gate) = (Scene(holdsTime: true), TestGate())
    let presenter = WaitingPresenter(inner: scene.script(.signIn(.alice))) { try await gate.wait() }
    let connector = try scene.connector(scene.tenant.settings(), presenter: presenter)
    let model = TasksModel { connector }
    let waiting = Task {
      switch call {
      case .signIn: await model.signIn()
      case .signUp: await model.signUp()
      case .addAccount: await model.addAccount()
      case .editProfile: await model.editProfile()
      }
    }
    await gate.waitForArrivals(1)
    #expect(model.isWaitingForUser && model.isBusy)
    model.cancelSignIn()
    await waiting.value
    #expect(!model.isWaitingForUser && !model.isBusy && model.message == nil)
    gate.open()
    await model.signIn()
    #expect(!model.isWaitingForUser && model.message == nil)
    #expect(try await connector.users().map(\.username) == [LocalUser.alice.email])
  }

  @Test("Azure AD B2C has no device codes, and the app says so")
  func noDeviceCode() async throws {
    let model = TasksModel(signInMethod: .deviceCode, showsDeveloperTexts: false) { try Connector.local(LocalTenant()) }
    await model.signIn()
    #expect(model.message == "That did not work." && !model.isVerbatim)
  }

  @Test(
    "A refusal is told in the server's words, and a page that another one replaced is no message",
    arguments: [
      ConnectorError(.accessDenied, "The service refused the user.", serverDescription: "Ask *your* manager."),
      ConnectorError(.userClosedBrowser, "A newer sign-in replaced this page."),
    ])
  func messages(_ error: ConnectorError) async throws {
    let connector = try Scene().connector(presenter: CannedPresenter { _ in throw error })
    let model = TasksModel { connector }
    await model.signIn()
    #expect(model.message == error.serverDescription && model.isVerbatim && !model.isBusy)
  }

  nonisolated static let presentation = ConnectorError(
    .presentationFailed, "The app is not associated with app.example.com.", recoverySuggestion: "Add the domain.")
  nonisolated static let entitlement = ConnectorError(
    .tokenCache, "The keychain refused to add an item.", recoverySuggestion: "Sign the app.")

  nonisolated static let refused = ConnectorError(
    .network, "127.0.0.1:8400 refused the connection.", recoverySuggestion: "Check the connection.", isRetryable: true,
    underlying: URLError(.cannotConnectToHost))
  nonisolated static let wrongUser = ConnectorError(
    .wrongUser, "Another user signed in.", recoverySuggestion: "Remove `userId` from the settings.")

  @Test(
    "An error that the developer may have to fix has a text for the developer, and another for the user",
    arguments: [
      (presentation, "That did not work."), (entitlement, "Your sign-in could not be read or saved. Try again."),
      (
        ConnectorError(.tokenCache, "The device is locked.", isRetryable: true),
        "Your sign-in could not be read or saved. Try again."
      ), (refused, "No connection, or it took too long. Try again."),
      (wrongUser, "You signed in with a different account. Please use the right one."),
      (
        ConnectorError(.network, "Offline.", isRetryable: true, underlying: URLError(.notConnectedToInternet)),
        "No connection, or it took too long. Try again."
      ), (ConnectorError(.userClosedBrowser, "The user closed the sign-in sheet."), nil),
    ])
  func developerTexts(_ error: ConnectorError, _ userText: String?) throws {
    let forDeveloper = error.recoverySuggestion.map { "\(error.message)\n\($0)\n" }
    #expect(developerText(for: error)?.hasPrefix(forDeveloper ?? "none") == forDeveloper.map { _ in true })
    #expect(text(for: error) == userText)
  }

  @Test("The model shows the developer's text in a debug build alone", arguments: [true, false])
  func debugBuild(isDebug: Bool) async throws {
    let model = TasksModel(showsDeveloperTexts: isDebug) {
      try Connector.local(
        LocalTenant(), presenter: CannedPresenter { _ in throw Self.presentation },
        cache: RefusingCache(Self.entitlement))
    }
    await model.signIn()
    #expect(model.message?.contains("Add the domain.") == isDebug && model.isVerbatim == isDebug)
    #expect(model.messageTitle == "You are not signed in")
    await model.restore()
    #expect(model.message?.contains("Sign the app.") == isDebug)
  }

  @Test("The project's settings are those of the local tenant that its README starts")
  func projectSettings() async throws {
    let app = Self.docs.appending(path: "Examples/TasksApp")
    var settings = try ConnectorSettings(contentsOf: app.appending(path: "Sources/settings.plist"))
    let readme = try String(contentsOf: app.appending(path: "README.md"), encoding: .utf8)
    let port = try #require(settings.authority.baseURL.port)
    let taskPort = try #require(settings.taskWebAPI?.port)
    #expect(
      readme.contains(
        "swift run local-tenant --port \(port) --task-port \(taskPort) --dialect rest "
          + "--redirect-uri \(settings.redirectURI)\n"))
    // The same tenant in memory, without the ports.
    let scene = Scene(dialect: .rest, redirectURIs: [settings.redirectURI.absoluteString])
    let local = try scene.tenant.settings(taskServer: scene.tasks)
    #expect(settings.authority.baseURL.path == local.authority.baseURL.path)
    #expect(settings.taskWebAPI?.path == local.taskWebAPI?.path)
    settings.authority = local.authority
    settings.taskWebAPI = local.taskWebAPI
    let connector = try scene.connector(settings)
    let model = TasksModel { connector }
    await model.signIn()
    await model.restore()
    #expect(await model.add("Buy milk"))
    #expect(model.message == nil && model.tasks.map(\.itemName) == ["Buy milk"])
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
    let guide = try String(contentsOf: Self.docs.appending(path: "Errors.md"), encoding: .utf8)
    let file = try String(
      contentsOf: Self.docs.appending(path: "Examples/TasksApp/Sources/ErrorText.swift"), encoding: .utf8)
    #expect(guide.contains("```swift\n\(file)```\n"))
  }
}
