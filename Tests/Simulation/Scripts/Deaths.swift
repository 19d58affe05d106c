#if os(Linux)
  import B2CTestKit

  extension Script {
    /// A kill or a power cut between two accesses to the store, over every cache that outlives its process.
    static let deaths: [Script] = CacheKind.allCases.filter(\.isLasting)
      .flatMap(deaths(over:))

    private static func deaths(over kind: CacheKind) -> [Script] {
      func death(_ name: String, _ what: String, _ step: @escaping @Sendable (Stage) -> Call) -> Script {
        Script("dies-amid-\(name)-\(kind)", what, Shape(kind)) {
          $0.signIn($0.alice, on: $0.app(1))
          $0.pass(7200)
          $0.world.die(
            $0.world.processes[0], afterAccesses: machine.draw.below(kind.isFile ? 40 : 12),
            ofPowerCut: machine.draw.happens(500))
          $0.world.wait(step($0))
          $0.world.forgetDeath()
          $0.call(.session, on: $0.app(1))
          $0.call($0.token, on: $0.app(1))
        }
      }
      return [
        death("refresh", "the app ends while a refresh is stored") { $0.start($0.token, on: $0.app(1)) },
        death("sign-in", "the app ends while a second sign-in is stored") { $0.startSignIn($0.alice, on: $0.app(1)) },
        death("sign-out", "the app ends while it signs out") { $0.start(.signOutAll(), on: $0.app(1)) },
      ]
    }
  }
#endif
