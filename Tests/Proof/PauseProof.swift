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
    let provider = try await ProofTenant()
    let folders = try (0..<count).map { try TemporaryDirectory("pause-\($0)") }
    defer { folders.forEach { $0.remove() } }
    for folder in folders { try await provider.signIn(ProofCache.open(folder.url)) }

    let answer = TestGate()
    provider.tenant.faults = [LocalFault(on: .tokenRefresh, times: count, .holdAnswer(answer))]
    let children = try Worker.start(PauseWorker.self, folders.map { [$0.url.path, provider.authority, "\(deadline)"] })
    await answer.waitForArrivals(count)
    for child in children { child.send(SIGSTOP) }
    try await Task.sleep(for: .seconds(1))
    answer.open()
    try await Task.sleep(for: .seconds(pause - 1))
    for child in children { child.send(SIGCONT) }
    let outcomes = children.map { $0.readToEnd().trimmingCharacters(in: .whitespacesAndNewlines) }
    await provider.tenant.stop()

    var table = Table("after \(Int(pause)) s, deadline \(deadline) s, \(ProofTransport.name)", "processes")
    for outcome in Set(outcomes).sorted() { table.add(outcome, "\(outcomes.count { $0 == outcome })") }
    return report(table, outcomes.filter { !$0.hasSuffix("session kept") })
  }
}

/// A process that is stopped during its refresh.
struct PauseWorker: ProofCommand {
  static let name = "pause-worker"

  static func run(_ options: ProofOptions) async throws -> Bool {
    let connector = try ProofTenant.connector(
      options.value(1, "the authority"), ProofCache.open(options.folder),
      deadline: .seconds(options.number(2, "the deadline")))
    Worker.waitForSignal()
    let call = await FaultEnding.of { _ = try await connector.accessToken() }
    // The call may end before its refresh, whose answer is still stored.
    await connector.close()
    do {
      _ = try await connector.accessToken(forceRefresh: true)
      print("call \(call.outcome == "value" ? "answered" : call.outcome), session kept")
    } catch {
      print("call \(call.outcome), session lost: \(error)")
    }
    return true
  }
}
