import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The first program of the guide about the command line.
@Suite(.descriptors(), .hangLimit)
struct CommandLineTests {
  private let clock = TestClock()
  private let cache = InMemoryTokenCache()
  private let presenter = ScriptedPresenter(transport: URLSessionTransport(), .signIn(.alice))

  /// Runs the program with a connector of its own; returns what it prints.
  private func run(_ settings: ConnectorSettings) async throws -> [String] {
    var environment = Connector.Environment()
    (environment.presenter, environment.cache) = (presenter, cache)
    environment.setTime(clock: clock) { [clock] in clock.date }
    let connector = try Connector(settings: settings, environment: environment)
    var printed: [String] = []
    func print(_ line: String) { printed.append(line) }

    // As in the guide.
    func addMilk(with connector: Connector) async throws {
      try await connector.addTask(TaskItem(itemName: "Buy milk"))
      for task in try await connector.getTaskList() { print("- \(task.itemName)") }
    }

    if case .signedIn(let user) = try await connector.session {
      print("Still signed in: \(user)")
    } else {
      print("Signed in: \(try await connector.doPolicy(.signIn))")
    }
    do {
      try await addMilk(with: connector)
    } catch let error as ConnectorError where error.needsInteraction {
      print("Signed in again: \(try await connector.doPolicy(.signIn))")
      try await addMilk(with: connector)
    }
    return printed
  }

  @Test("The program that is tested here is the guide's")
  func isOfTheGuide() throws {
    let guide = packageDirectory.appending(path: "Docs/CommandLine.md")
    for (first, last) in [
      ("func addMilk(with connector: Connector) async throws {", "}"),
      ("if case .signedIn(let user) = try await connector.session {", "} catch let error as ConnectorError where"),
      ("} catch let error as ConnectorError where error.needsInteraction {", "}"),
    ] {
      let tested = try lines(of: URL(filePath: #filePath), from: first, to: last)
      #expect(try tested == lines(of: guide, from: first, to: last))
    }
  }

  /// Starts a tenant and a task server, with a key that no other process has.
  private func start(ports: (UInt16, UInt16) = (0, 0)) async throws -> (LocalTenant, LocalTaskServer) {
    let tenant = LocalTenant(now: { [clock] in clock.date })
    let server = LocalTaskServer(tenant: tenant)
    try tenant.rotateKeys(keepingOld: false)
    try await tenant.start(port: ports.0)
    try await server.start(port: ports.1)
    return (tenant, server)
  }

  @Test("After the tenant was restarted at its port, the program signs in again", arguments: [0, 30, 120, 4_000])
  func restartedTenant(after seconds: Int) async throws {
    var (tenant, server) = try await start()
    let settings = try tenant.settings(taskServer: server)
    #expect(try await run(settings) == ["Signed in: Alice Example", "- Buy milk"])
    let second = ["Still signed in: Alice Example", "- Buy milk", "- Buy milk"]
    #expect(try await run(settings) == second)

    let ports = try (#require(tenant.origin.port), #require(server.url.port))
    await tenant.stop()
    await server.stop()
    (tenant, server) = try await start(ports: (UInt16(ports.0), UInt16(ports.1)))
    await clock.advance(by: .seconds(seconds))
    let third = ["Still signed in: Alice Example", "Signed in again: Alice Example", "- Buy milk"]
    #expect(try await run(settings) == third)
    #expect(try await run(settings) == second)
    await tenant.stop()
    await server.stop()
  }
}
