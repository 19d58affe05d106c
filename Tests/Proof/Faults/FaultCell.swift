import B2CConnector
import B2CTestKit
import Foundation

/// One cell of the matrix: a fault meets an operation, and every promise is looked at.
struct FaultCell: Sendable {
  /// What came of it.
  struct Result: Sendable {
    /// The error's code, or `value`.
    var outcome: String
    var seconds: Double
    /// The promises that were broken.
    var broken: [String]
  }

  let fault: WireFault
  let operation: FaultOperation
  /// On how many requests it happens; all for `nil`.
  let times: Int?

  /// The code that the documentation tells.
  var expected: String {
    guard times != nil else { return fault.expected[operation] }
    switch fault.recovery {
    case .retry where operation.isRepeated, .retryOfAnything where operation.isRepeated || operation == .add:
      return "value"
    case .newToken where operation.isOfTaskAPI: return "value"
    default: return fault.expected[operation]
    }
  }

  /// A sign-in asks for keys while the page is open, and again when that has failed by the time they are needed.
  private var accepted: Set<String> { operation == .keys && times != nil ? [expected, "value"] : [expected] }

  /// Whether the cell says anything: a port that is closed once stays closed for the next try.
  var isMeaningful: Bool { times == nil || !fault.isRefusal }

  func run(in world: FaultWorld) async throws -> Result {
    try await world.reset()
    let scene = try await FaultScene(world)
    let clock = ContinuousClock()
    let front = operation.isOfTaskAPI ? world.taskFront : world.tenantFront
    let arm: @Sendable () async -> Void = {
      await front.arm(fault, on: operation.target, times: times, other: world.other.url)
    }
    if operation == .code { scene.presenter.whenLeft(arm) } else { await arm() }
    let start = clock.now
    let ending = await Watchdog.run(FaultsProof.watchdog) { await scene.run(operation) }
    let seconds = start.duration(to: clock.now) / .seconds(1)
    let hits = front.hits
    guard let ending else { return Result(outcome: "HANG", seconds: seconds, broken: ["does not come back"]) }
    try await front.disarm()
    var broken = await scene.promises(after: ending, operation, endsSession: fault.endsSession)
    if !accepted.contains(ending.outcome) { broken.append("\(ending.outcome) instead of \(expected)") }
    if seconds > FaultsProof.longestCell { broken.append("took \(seconds) s") }
    if hits == 0, !fault.isRefusal { broken.append("the fault did not happen") }
    return Result(outcome: ending.outcome, seconds: seconds, broken: broken)
  }
}
