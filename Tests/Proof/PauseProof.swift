import B2CConnector
import B2CTestKit
import Foundation
import TestSupport

/// Stops processes while a refresh is under way, and lets them go on when its answer has long arrived.
///
/// A laptop that sleeps and a container that is throttled do this. The provider no longer accepts the old refresh token, and
/// the new one is in a socket, behind a deadline that has passed.
struct PauseProof: ProofCommand {
  static let name = "pause"
  static let summary = "20 processes stand still for 35 s while an answer with a rotated refresh token arrives"

  static func run(_ options: ProofOptions) async throws -> Bool {
    // In the short form the deadline of a request is as much shorter as the pause.
    let (count, deadline, pause) = options.isQuick ? (4, 5, 8.0) : (20, 30, 35.0)
    let tenant = LocalTenant(redirectURIs: ["http://127.0.0.1/callback"])
    try await tenant.start()
    let authority = tenant.authority(form: .query)
    let folders = try (0..<count).map { try TemporaryDirectory("pause-\($0)") }
    defer { folders.forEach { $0.remove() } }
    for folder in folders { try await ProcessesProof.signIn(tenant, authority, ProofCache.open(folder.url)) }

    let answer = TestGate()
    tenant.faults = [LocalFault(on: .tokenRefresh, times: count, .holdAnswer(answer))]
    let children = try Worker.start(PauseWorker.self, folders.map { [$0.url.path, authority, "\(deadline)"] })
    await answer.waitForArrivals(count)
    for child in children { child.stop() }
    try await Task.sleep(for: .seconds(1))
    answer.open()
    try await Task.sleep(for: .seconds(pause - 1))
    for child in children { child.goOn() }
    let outcomes = children.map { $0.readToEnd().trimmingCharacters(in: .whitespacesAndNewlines) }
    await tenant.stop()

    var table = Table("after \(Int(pause)) s, deadline \(deadline) s, \(ProofTransport.name)", "processes")
    for outcome in Set(outcomes).sorted() { table.add(outcome, "\(outcomes.count { $0 == outcome })") }
    table.show()
    return outcomes.allSatisfy { $0.hasSuffix("session kept") }
  }
}

/// A process that is stopped during its refresh.
struct PauseWorker: ProofCommand {
  static let name = "pause-worker"

  static func run(_ options: ProofOptions) async throws -> Bool {
    let folder = URL(fileURLWithPath: try options.value(0, "the folder"), isDirectory: true)
    var environment = Connector.Environment()
    environment.cache = try ProofCache.open(folder)
    environment.transport = ProofTransport.make()
    let deadline = try options.number(2, "the deadline")
    let settings = try RefreshWorker.settings(authority: try options.value(1, "the authority"))
    let connector = try Connector(settings: settings, environment: environment) {
      $0.limits.deadline = .seconds(deadline)
    }
    Worker.waitForSignal()
    var call = "answered"
    do { _ = try await connector.accessToken() } catch {
      call = "\((error as? ConnectorError)?.code.rawValue ?? "other")"
    }
    // The call may end before its refresh, whose answer is still stored.
    await connector.close()
    do {
      _ = try await connector.accessToken(forceRefresh: true)
      print("call \(call), session kept")
    } catch {
      print("call \(call), session lost: \(error)")
    }
    return true
  }
}
