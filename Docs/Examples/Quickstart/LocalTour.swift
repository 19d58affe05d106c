import B2CConnector
import B2CTestKit
import Foundation

/// The whole job on this machine alone, with nothing but the public `Connector`.
struct LocalTour: Sendable {
  let arguments: Arguments
  let story: Story

  func run() async throws {
    let world = try await LocalWorld(redirectURI: redirectURI())
    do {
      try await tour(world)
    } catch {
      await world.stop()
      throw error
    }
    if arguments.keepsServers {
      story.ask("the servers stay up until you press return; the settings for them:")
      Terminal.write(world.settings, to: .standardOutput)
      _ = readLine()
    }
    await world.stop()
  }

  private func tour(_ world: LocalWorld) async throws {
    let time = world.time
    let settings = try Surface(arguments).adapted(ConnectorSettings(data: Data(world.settings.utf8)))
    let script = ScriptedPresenter(
      transport: URLSessionTransport(), .signIn(.alice), onStep: { story.detail("page: " + $0) })
    var environment = Connector.Environment()
    environment.presenter = isInBrowser ? Surface(arguments).presenter(for: settings.redirectURI) : script
    environment.cache = .memory()
    environment.transport = TellingTransport(story)
    environment.setTime { time.now }
    let connector = try Connector(settings: settings, environment: environment)
    if arguments.diagnoses {
      try await Program.show(try await connector.diagnose())
      return
    }
    story.title(
      "A tenant and a task server on this machine", "tenant \(world.tenant.origin.absoluteString)",
      "task API \(world.tasks.url.absoluteString)")
    let steps = TaskSteps(connector: connector, story: story, mark: "")

    if isInBrowser { story.ask("in the browser: make up an email address, a password and a name") }
    script.follow(.signUp(email: "carol@example.com", password: "Not-A-Secret-4", displayName: "Carol Example"))
    try await story.step("doPolicy(.signUp)") {
      let user = try await connector.doPolicy(.signUp)
      return "\(user) signed up, by \(user.policyID ?? "no policy")"
    }
    try await story.claims(connector.session, false)

    if isInBrowser { story.ask("in the browser: sign in with the same") }
    script.follow(.signIn(email: "carol@example.com", password: "Not-A-Secret-4"))
    try await story.step("doPolicy(.signIn)") {
      let user = try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login))
      return "\(user) signed in, by \(user.policyID ?? "no policy")"
    }

    try await steps.run {
      await time.pass(.seconds(3_700))
      try await story.step("getTaskList()") {
        "an hour later: \(try await connector.getTaskList().count) tasks, token refreshed, no page shown"
      }
    }
    try await story.step("signOut()") {
      try await connector.signOut()
      return "the tokens are gone"
    }
    try await steps.callAfterSignOut()

    let bob = LocalUser.bob
    if isInBrowser { story.ask("in the browser: sign in as \(bob.email) with \(bob.password.value)") }
    script.follow(.signIn(bob))
    try await story.step("doPolicy(.signIn)") {
      let user = try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login))
      return "\(user) signed in and has \(TaskSteps.summary(try await connector.getTaskList()))"
    }
    await story.end(next: "the same with a tenant of your own, as Docs/GettingStarted.md shows")
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
