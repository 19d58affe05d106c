import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The example app without a page, with errors for its developer, and with the files of its project.
@Suite("The example app's other ways in", .hangLimit) @MainActor
struct TasksAppPlatformTests {
  private static let app = "Docs/Examples/TasksApp/"

  private func content(of file: String) throws -> String {
    try String(contentsOf: packageDirectory.appending(path: file), encoding: .utf8)
  }

  @Test("Without a page, a code is typed on another device, and Cancel ends the wait", arguments: [true, false])
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

  nonisolated static let pageCalls: [@MainActor @Sendable (TasksModel) async -> Void] = [
    { await $0.signIn() }, { await $0.signUp() }, { await $0.addAccount() }, { await $0.editProfile() },
  ]

  @Test("A page can be cancelled, a second tap opens no other, and the next one works", arguments: pageCalls.indices)
  func cancelledPage(_ index: Int) async throws {
    let (scene, gate) = (Scene(holdsTime: true), TestGate())
    scene.tenant.faults = [LocalFault(on: .authorize, times: 1, .wait(gate))]
    let connector = try scene.connector(scene.tenant.settings())
    let model = TasksModel { connector }
    let waiting = Task { await Self.pageCalls[index](model) }
    await gate.waitForArrivals(1)
    #expect(model.isWaitingForUser && model.isBusy)
    await model.signIn()
    model.cancelSignIn()
    await waiting.value
    #expect(gate.arrivals == 1 && !model.isWaitingForUser && !model.isBusy)
    #expect(model.message == nil && !model.needsSignIn)
    gate.open()
    await model.signIn()
    #expect(!model.isWaitingForUser && model.message == nil)
    #expect(try await connector.users().map(\.username) == [LocalUser.alice.email])
  }

  private nonisolated static let cacheText = "Your sign-in could not be read or saved. Try again."
  private nonisolated static let networkText = "No connection, or it took too long. Try again."

  private nonisolated static func network(_ code: URLError.Code, advice: String? = nil) -> ConnectorError {
    ConnectorError(
      .network, "No response.", recoverySuggestion: advice, isRetryable: true, underlying: URLError(code))
  }

  /// What a sign-in throws, and the user's text; only an error that the developer may fix has a recovery suggestion here.
  nonisolated static let errors: [(error: ConnectorError, userText: String?)] = [
    (ConnectorError(.presentationFailed, "No window.", recoverySuggestion: "Add the domain."), "That did not work."),
    (ConnectorError(.tokenCache, "Refused.", recoverySuggestion: "Sign the app."), cacheText),
    (ConnectorError(.tokenCache, "The device is locked.", isRetryable: true), cacheText),
    (network(.cannotConnectToHost, advice: "Start it."), networkText), (network(.notConnectedToInternet), networkText),
    (
      ConnectorError(.wrongUser, "Another user signed in.", recoverySuggestion: "Remove `userId`."),
      "You signed in with a different account. Please use the right one."
    ),
    (ConnectorError(.accessDenied, "No.", serverDescription: "Ask *your* manager."), "Ask *your* manager."),
    (ConnectorError(.userClosedBrowser, "A newer sign-in replaced this page."), nil),
  ]

  @Test(
    "In a debug build the developer is told what to fix; the user reads a text or the server's words, or nothing",
    arguments: errors, [true, false])
  func message(_ row: (error: ConnectorError, userText: String?), isDebug: Bool) async throws {
    let (error, userText) = row
    let connector = try Scene().connector(presenter: CannedPresenter { _ in throw error })
    let model = TasksModel(showsDeveloperTexts: isDebug) { connector }
    await model.signIn()
    if isDebug, let advice = error.recoverySuggestion {
      #expect(model.message?.hasPrefix("\(error.message)\n\(advice)\n") == true && model.isVerbatim)
    } else {
      #expect(model.message == userText && model.isVerbatim == (userText == error.serverDescription))
    }
    #expect(model.isShowingMessage == (userText != nil) && !model.isBusy)
    #expect(userText == nil || model.messageTitle == "You are not signed in")
  }

  // MARK: Files

  @Test("The project's settings are those of the local tenant that its README starts")
  func projectSettings() async throws {
    let file = packageDirectory.appending(path: Self.app + "Sources/settings.plist")
    var settings = try ConnectorSettings(contentsOf: file)
    let port = try #require(settings.authority.baseURL.port)
    let taskPort = try #require(settings.taskWebAPI?.port)
    let command =
      "swift run local-tenant --port \(port) --task-port \(taskPort) --dialect rest "
      + "--redirect-uri \(settings.redirectURI)\n"
    #expect(try content(of: Self.app + "README.md").contains(command))
    // The same tenant in memory, without the ports.
    let scene = Scene(dialect: .rest, redirectURIs: [settings.redirectURI.absoluteString])
    let local = try scene.tenant.settings(taskServer: scene.tasks)
    #expect(settings.authority.baseURL.path == local.authority.baseURL.path)
    #expect(settings.taskWebAPI?.path == local.taskWebAPI?.path)
    (settings.authority, settings.taskWebAPI) = (local.authority, local.taskWebAPI)
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
    let catalog = try content(of: Self.app + "Sources/Localizable.xcstrings")
    var texts: Set = ["completed", "to do"]
    for name in ["SessionModel", "TasksModel", "TasksViews", "TaskListView", "ErrorText"] {
      let source = try content(of: Self.app + "Sources/\(name).swift")
      // A text begins with a capital letter.
      for match in source.matches(of: /"([A-Z](?:[^"\\]|\\\([^)]*\))*)"/) {
        texts.insert(String(match.1.replacing(/\\\([^)]*\)/, with: "%@")))
      }
    }
    let strings = try JSONDecoder().decode(Catalog.self, from: Data(catalog.utf8)).strings
    #expect(texts.symmetricDifference(strings.keys) == [])
  }

  @Test("The guide shows the app's texts for errors")
  func guide() throws {
    let texts = try content(of: Self.app + "Sources/ErrorText.swift")
    #expect(try content(of: "Docs/Errors.md").contains("```swift\n\(texts)```\n"))
  }
}
