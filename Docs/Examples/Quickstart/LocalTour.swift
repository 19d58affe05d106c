import B2CConnector
import B2CTestKit
import Foundation

/// The whole job on this machine alone, with nothing but the public `Connector`.
struct LocalTour: Sendable {
  let arguments: Arguments
  let narrator: Narrator

  func run() async throws {
    narrator.step("A tenant and a task server start on this machine.")
    let world = try await LocalWorld(redirectURI: redirectURI())
    narrator.result("tenant \(world.tenant.origin.absoluteString)")
    narrator.result("task API \(world.tasks.url.absoluteString)")
    narrator.result("settings \(world.settingsFile.path)")
    do {
      try await tour(world)
    } catch {
      await world.stop()
      throw error
    }
    if arguments.keepsServers {
      narrator.step("The servers stay up; press return to stop them.")
      _ = readLine()
    }
    await world.stop()
  }

  private func tour(_ world: LocalWorld) async throws {
    let time = world.time
    let settings = try Surface(arguments).adapted(ConnectorSettings(contentsOf: world.settingsFile))
    let script = ScriptedPresenter(
      transport: URLSessionTransport(), .signIn(.alice), onStep: { narrator.result("page: " + $0) })
    let presenter: any SignInPresenter =
      isInBrowser ? Surface(arguments).presenter(for: settings.redirectURI) : script
    var environment = OAuthEnvironment()
    environment.presenter = presenter
    environment.cache = InMemoryTokenCache()
    environment.transport = NarratingTransport(narrator)
    environment.now = { time.now }
    let connector = try Connector(settings: settings, environment: environment)
    if arguments.diagnoses {
      try await Program.show(try await connector.diagnose())
      return
    }
    let steps = TaskSteps(connector: connector, narrator: narrator)

    narrator.step("1. doPolicy(.signUp): a new user signs up.")
    if isInBrowser { narrator.result("make up any email and password") }
    script.follow(.signUp(email: "carol@example.com", password: "Not-A-Secret-4", displayName: "Carol Example"))
    narrator.user(try await connector.doPolicy(.signUp), showsClaims: settings.showClaims)

    narrator.step("2. doPolicy(.signIn): the same user signs in.")
    script.follow(.signIn(email: "carol@example.com", password: "Not-A-Secret-4"))
    narrator.user(
      try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login)), showsClaims: settings.showClaims)

    try await steps.addListDelete(from: 3)

    narrator.step("6. An hour later getTaskList() finds its token expired and renews it silently.")
    await time.pass(.seconds(3_700))
    narrator.tasks(try await connector.getTaskList())

    narrator.step("7. signOut(), and another user signs in: the tasks are that user's own.")
    try await connector.signOut()
    if isInBrowser { narrator.result("sign in as \(LocalUser.bob.email) with \(LocalUser.bob.password.value)") }
    script.follow(.signIn(.bob))
    narrator.user(try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login)), showsClaims: false)
    narrator.tasks(try await connector.getTaskList())

    try await steps.callAfterSignOut(number: 8)
    narrator.step("Done.")
  }

  private var isInBrowser: Bool { arguments.usesBrowser || arguments.printsURL }

  /// The redirect URI to register: Azure AD B2C wants the port in it, so one is chosen beforehand.
  private func redirectURI() async throws -> String {
    guard isInBrowser else { return LocalTenant.standardRedirectURI }
    var port = arguments.loopbackPort.map(Int.init)
    if port == nil {
      // A server that is started and stopped again leaves a port that is free.
      let probe = LocalTenant()
      try await probe.start()
      port = probe.origin.port
      await probe.stop()
    }
    return "http://127.0.0.1\(port.map { ":\($0)" } ?? "")/callback"
  }
}
