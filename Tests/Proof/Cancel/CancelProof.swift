import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport

/// Cancels calls at random instants and looks whether each comes back and the session lives.
struct CancelProof: ProofCommand {
  static let name = "cancel"
  static let summary = "10,000 cancellations at random instants: none hangs, the session lives"

  /// A call that is not back by then hangs.
  static let watchdog = Duration.seconds(10)
  private static let lanes = 12

  /// Most instants fall within the first requests.
  private static func pause(_ die: Int, _ longest: Int) -> Int { die == 0 ? longest : die < 5 ? 60_000 : 12_000 }

  static func run(_ options: ProofOptions) async throws -> Bool {
    let count = options.isQuick ? 1_000 : 10_000
    let seed = try options.values.isEmpty ? 7 : UInt64(options.number(0, "the seed"))
    let random = Locked(SplitMix64(seed: seed))
    // A token that is spent twice would end the session here.
    let world = try await FaultWorld(reuse: .revokesGrant) { .microseconds(random.withLock { Int64($0.below(3_000)) }) }
    let scene = try await CancelScene(world, isBroken: options.isBroken)
    // Some have to get as far as a sign-in's last request, on a busy machine too, where each lane waits for the others.
    let longest = max(60_000, try await lanes * scene.microsecondsOfSignIn())
    let start = ContinuousClock.now
    var total = CancelCount()
    try await withThrowingTaskGroup(of: CancelCount.self) { group in
      let left = Locked(count)
      for _ in 0..<lanes {
        group.addTask {
          var count = CancelCount()
          while left.withLock({ left in
            left -= 1
            return left >= 0
          }) {
            let (call, microseconds) = random.withLock { random in
              (CancelScene.Call.allCases[random.below(3)], random.below(pause(random.below(16), longest)))
            }
            count.note(call, try await scene.cancel(call, after: .microseconds(microseconds)))
          }
          return count
        }
      }
      for try await count in group { total.add(count) }
    }
    let seconds = start.duration(to: .now) / .seconds(1)
    let after = await scene.isUsable()
    total.show()
    let counters = world.tenant.counters
    print(
      """

      \(count) cancellations (seed \(seed)) in \(String(format: "%.0f", seconds)) s; the server saw \
      \(counters.refreshes) refreshes, \(counters.reusedRefreshTokens) with a refresh token that was used before, \
      \(counters.metadataRequests) requests for metadata, \(counters.keysRequests) for keys and \
      \(counters.codeRequests) with a code.
      From a cancellation to the return: half within \(total.milliseconds(of: 0.5)) ms, \
      99 % within \(total.milliseconds(of: 0.99)) ms, the slowest \(total.milliseconds(of: 1)) ms.
      The session afterwards: \(after).
      """)
    await world.stop()
    var broken = Set(total.untyped).sorted()
    if total.hangs > 0 { broken.append("\(total.hangs) calls did not come back") }
    if after != "value" { broken.append("the session afterwards: \(after)") }
    if counters.reusedRefreshTokens > 0 { broken.append("a refresh token was used twice") }
    // Two sign-ins are not cancelled: that of the scene and the one that is timed.
    if counters.metadataRequests < 3 || counters.keysRequests < 3 {
      broken.append("no cancelled sign-in got to its keys")
    }
    for line in broken { print("BROKEN  \(line)") }
    return broken.isEmpty
  }
}
