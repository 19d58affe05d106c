import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The first program of the guide about the command line.
@Suite(.descriptors(), .hangLimit)
struct CommandLineTests {
  /// Runs the program with a connector of its own; returns what it prints.
  private func run(
    _ settings: ConnectorSettings, _ cache: any TokenCache, _ presenter: ScriptedPresenter, _ clock: TestClock
  ) async throws -> [String] {
    var environment = Connector.Environment()
    environment.presenter = presenter
    environment.cache = cache
    environment.setTime(clock: clock) { clock.date }
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
    let here = URL(filePath: #filePath)
    let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    /// The lines of the function and of what follows the connector, without indentation.
    func lines(of file: URL) throws -> [[String]] {
      let all = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        .map { $0.trimmingCharacters(in: .whitespaces) }
      return try [
        ("func addMilk(with connector: Connector) async throws {", "}"),
        ("if case .signedIn(let user) = try await connector.session {", "} catch let error as ConnectorError where"),
        ("} catch let error as ConnectorError where error.needsInteraction {", "}"),
      ].map { first, last in
        let start = try #require(all.firstIndex(of: first))
        let end = try #require(all[(start + 1)...].firstIndex { last == "}" ? $0 == last : $0.hasPrefix(last) })
        return Array(all[start...end])
      }
    }
    #expect(try lines(of: here) == lines(of: root.appending(path: "Docs/CommandLine.md")))
  }

  @Test("After the tenant was restarted at its port, the program signs in again", arguments: [0, 30, 120, 4_000])
  func restartedTenant(after seconds: Int) async throws {
    let clock = TestClock()
    var tenant = LocalTenant(now: { clock.date })
    var server = LocalTaskServer(tenant: tenant)
    try await tenant.start()
    try await server.start()
    let settings = try tenant.settings(taskServer: server)
    let (cache, presenter) = (
      InMemoryTokenCache(), ScriptedPresenter(transport: URLSessionTransport(), .signIn(.alice))
    )
    #expect(try await run(settings, cache, presenter, clock) == ["Signed in: Alice Example", "- Buy milk"])
    let second = ["Still signed in: Alice Example", "- Buy milk", "- Buy milk"]
    #expect(try await run(settings, cache, presenter, clock) == second)

    let ports = try (#require(tenant.origin.port), #require(server.url.port))
    await tenant.stop()
    await server.stop()
    tenant = LocalTenant(now: { clock.date })
    server = LocalTaskServer(tenant: tenant)
    // A process that was started anew has a new key.
    try tenant.rotateKeys(keepingOld: false)
    try await tenant.start(port: UInt16(ports.0))
    try await server.start(port: UInt16(ports.1))
    await clock.advance(by: .seconds(seconds))
    let third = ["Still signed in: Alice Example", "Signed in again: Alice Example", "- Buy milk"]
    #expect(try await run(settings, cache, presenter, clock) == third)
    #expect(try await run(settings, cache, presenter, clock) == second)
    await tenant.stop()
    await server.stop()
  }
}
