import B2CConnector
import B2CTestKit

/// Whether nothing stood in the way of a call, so that it has to succeed (invariant 10).
///
/// Which code an error has is the matter of tests; here only that there is a reason for one at all.
struct Calm {
  let world: World
  let call: Call

  var isCalm: Bool {
    call.troubles.isEmpty && !call.app.transport.isClosed && !hasMetFault && !hasStoreRefused
      && max(world.lastSuspension, world.lastSlowRequest, world.lastClockChange) < begin
      && !world.processes.contains { $0.isSuspended } && call.timeSuspended == 0
      && call.plan.map { [.completes, .forgets].contains($0.outcome) } != false && !isOfMissingTask
  }

  /// When the earliest call began that was still under way at the start of this one, which may have joined its refresh, or
  /// waited for its lock.
  private var begin: UInt64 {
    world.calls.filter { wasUnderWay($0.number) }.map(\.startedAt).min() ?? call.startedAt
  }

  /// Whether a call of a number had not ended when this one began.
  private func wasUnderWay(_ number: Int) -> Bool { world.ends[number, default: .max] >= call.startedAt }

  /// Whether a request of the call met a fault, or one to the provider that it may have waited for: of a flight that it
  /// joined, or of another connector that held the refresh lock.
  private var hasMetFault: Bool {
    world.processes.flatMap(\.apps).contains { app in
      app.transport.met.contains {
        if $0.target == .taskAPI { return app === call.app && $0.call == call.number }
        // A flight can be joined until its end.
        return $0.at >= call.startedAt || $0.call.map(wasUnderWay) == true
      }
    }
  }

  private var hasStoreRefused: Bool { call.process.refusedCalls.contains(where: wasUnderWay) }

  private var isOfMissingTask: Bool {
    guard case .delete(let task, let owner) = call.action else { return false }
    return !world.server.tasks.contains { $0.id == task.id } || call.bearers.last?.grant.person != owner
  }
}
