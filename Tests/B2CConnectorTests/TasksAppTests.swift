import B2CConnector
import B2CTestKit
import Foundation
import Observation
import TestSupport
import Testing

/// The example app where there is no page, with errors for its developer, and with the settings of its project.
@Suite("The example app's other ways in", .hangLimit) @MainActor
struct TasksAppPlatformTests {
  @Test(
    "Where there is no page, a code is typed on another device; a wait that is cancelled says nothing",
    arguments: [true, false])
  func deviceCode(isTyped: Bool) async throws {
    let clock = TestClock(advancesItself: false)
    let tenant = LocalTenant(shape: .entra, now: { clock.date })
    let connector = try Connector.local(tenant, clock: clock)
    let model = TasksModel(signInMethod: .deviceCode) { connector }
    let signIn = Task { await model.signIn() }
    await clock.waitForSleepers()
    let code = try #require(model.deviceCode)
    if isTyped {
      #expect(tenant.approveDevice(userCode: code.userCode, email: LocalUser.alice.email))
      await clock.advance(by: .seconds(5))
    } else {
      model.cancelSignIn()
    }
    await signIn.value
    #expect(model.deviceCode == nil && model.message == nil && !model.isBusy)
    #expect(try await connector.users().map(\.username) == (isTyped ? [LocalUser.alice.email] : []))
  }

  enum PageCall: CaseIterable { case signIn, signUp, switchAccount, editProfile }

  @Test("A page whose end nobody reports can be cancelled, and the next one works", arguments: PageCall.allCases)
  func cancelledPage(call: PageCall) async throws {
    let (tenant, gate) = (LocalTenant(), TestGate())
    let script = ScriptedPresenter(transport: LocalNetwork(tenant), .signIn(.alice))
    let connector = try Connector.local(
      tenant, presenter: LostPresenter(gate: gate, next: script), clock: TestClock(advancesItself: false))
    let model = TasksModel { connector }
    let waiting = Task {
      switch call {
      case .signIn: await model.signIn()
      case .signUp: await model.signUp()
      case .switchAccount: await model.switchAccount()
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

  @Test("A refusal is told in the server's words, and a page that another one replaced is no message")
  func messages() async throws {
    let denied = ConnectorError(
      .accessDenied, "The service refused the user.", serverDescription: "Ask *your* manager.")
    for error in [denied, ConnectorError(.userClosedBrowser, "A newer sign-in replaced this page.")] {
      let model = TasksModel { try Connector.local(LocalTenant(), presenter: RefusedPresenter(error: error)) }
      await model.signIn()
      #expect(model.message == error.serverDescription && model.isVerbatim && !model.isBusy)
    }
  }

  /// An error that only the project's settings in Xcode fix, as it reaches the app.
  struct DeveloperError: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let error: ConnectorError
    let userText: String
  }

  nonisolated static let presentation = ConnectorError(
    .presentationFailed, "The app is not associated with app.example.com.", recoverySuggestion: "Add the domain.")
  nonisolated static let entitlement = ConnectorError(
    .tokenCache, "The keychain refused to add an item.", recoverySuggestion: "Sign the app.")

  @Test(
    "What only the project's settings fix is shown to the developer in a debug build, and to no user",
    arguments: [
      DeveloperError(
        testDescription: "no page",
        error: presentation,
        userText: "That did not work."),
      DeveloperError(
        testDescription: "no keychain, from the cache",
        error: entitlement,
        userText: "Your sign-in could not be read or saved. Try again."),
    ])
  func developerTexts(_ example: DeveloperError) throws {
    let suggestion = try #require(example.error.recoverySuggestion)
    #expect(developerText(for: example.error)?.hasPrefix("\(example.error.message)\n\(suggestion)\n") == true)
    #expect(text(for: example.error) == example.userText)
  }

  @Test("A locked device and a closed page are not for the developer")
  func noDeveloperText() {
    #expect(developerText(for: ConnectorError(.tokenCache, "The device is locked.", isRetryable: true)) == nil)
    #expect(developerText(for: ConnectorError(.userClosedBrowser, "The user closed the sign-in sheet.")) == nil)
  }

  @Test("The model shows the developer's text in a debug build alone", arguments: [true, false])
  func debugBuild(isDebug: Bool) async throws {
    let tenant = LocalTenant()
    let model = TasksModel(showsDeveloperTexts: isDebug) {
      try Connector.local(tenant, presenter: RefusedPresenter(error: Self.presentation), cache: RefusedCache())
    }
    await model.signIn()
    #expect(model.message?.contains("Add the domain.") == isDebug && model.isVerbatim == isDebug)
    #expect(model.messageTitle == "You are not signed in")
    await model.restore()
    #expect(model.message?.contains("Sign the app.") == isDebug)
  }

  @Test("The project's settings are those of the local tenant that its README starts")
  func projectSettings() async throws {
    let app = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Docs/Examples/TasksApp")
    var settings = try ConnectorSettings(contentsOf: app.appending(path: "Sources/settings.plist"))
    let readme = try String(contentsOf: app.appending(path: "README.md"), encoding: .utf8)
    let port = try #require(settings.authority.baseURL.port)
    let taskPort = try #require(settings.taskWebAPI?.port)
    #expect(
      readme.contains(
        "swift run local-tenant --port \(port) --task-port \(taskPort) --dialect rest "
          + "--redirect-uri \(settings.redirectURI)\n"))
    // The same tenant in memory, without the ports.
    let tenant = LocalTenant(redirectURIs: [settings.redirectURI.absoluteString])
    let server = LocalTaskServer(tenant: tenant, dialect: .rest)
    let local = try tenant.settings(taskServer: server)
    #expect(settings.authority.baseURL.path == local.authority.baseURL.path)
    #expect(settings.taskWebAPI?.path == local.taskWebAPI?.path)
    settings.authority = local.authority
    settings.taskWebAPI = local.taskWebAPI
    let network = LocalNetwork(tenant, server, clock: TestClock())
    var environment = Connector.Environment()
    environment.presenter = ScriptedPresenter(transport: network, .signIn(.alice))
    environment.cache = InMemoryTokenCache()
    environment.transport = network
    let fixed = (settings, environment)
    let model = TasksModel { try Connector(settings: fixed.0, environment: fixed.1) { $0.taskDialect = .rest } }
    await model.signIn()
    await model.restore()
    #expect(await model.add("Buy milk"))
    #expect(model.message == nil && model.tasks.map(\.itemName) == ["Buy milk"])
  }
}

/// A sheet that the system does not show.
private struct RefusedPresenter: SignInPresenter {
  let error: ConnectorError

  func present(_ request: PresentationRequest) async throws -> URL { throw error }
}

/// A page that does not come back as long as a gate is closed.
private struct LostPresenter: SignInPresenter {
  let gate: TestGate
  let next: any SignInPresenter

  func present(_ request: PresentationRequest) async throws -> URL {
    try await gate.wait()
    return try await next.present(request)
  }
}

/// A keychain that refuses the app; `keys` lets a sign-in begin.
private final class RefusedCache: TokenCache {
  func record(for key: TokenCacheKey) async throws -> TokenRecord? { throw TasksAppPlatformTests.entitlement }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { throw TasksAppPlatformTests.entitlement }
  func removeRecord(for key: TokenCacheKey) async throws { throw TasksAppPlatformTests.entitlement }
  func keys() async throws -> [TokenCacheKey] { throw TasksAppPlatformTests.entitlement }
}
