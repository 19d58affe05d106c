import B2CConnector
import B2CTestKit
import Foundation

extension Script {
  /// A store that refuses an access, whichever it is, and a provider that never answers.
  static let refusals: [Script] =
    CacheKind.allCases.filter(\.isLasting).flatMap(refusals(over:)) + CacheKind.allCases.flatMap(others(over:))

  private static func refusals(over kind: CacheKind) -> [Script] {
    let steps: [(name: String, step: @Sendable (Stage) -> Call)] = [
      ("refresh", { Operation.token.start($0) }), ("sign-in", { Operation.signIn.start($0) }),
      ("other-sign-in", { Operation.otherSignIn.start($0) }), ("sign-out", { Operation.signOut.start($0) }),
      ("sign-out-of-one", { Operation.signOutOne.start($0) }),
      // Of a person who is not the current one.
      ("edit", { $0.startEdit(of: $0.bob, "New") }),
    ]
    return steps.map { name, step in
      Script("refused-amid-\(name)-\(kind)", Shape(cache: kind)) {
        $0.signIn($0.bob)
        $0.pass(60)
        $0.signInAlice(7200)
        $0.world.store.hiccup(machine.draw.number(1...2))
        $0.world.wait(step($0))
        $0.pass(60)
        // Nothing is read until the last look: what is told has to come by itself.
        $0.heal()
      }
    } + [
      Script("launched-while-away-\(kind)", Shape(cache: kind)) {
        $0.signIn($0.alice)
        $0.world.store.trouble.isUnreachable = true
        try $0.restart()
        $0.pass(40)
        $0.heal()
      }
    ]
  }

  private static func others(over kind: CacheKind) -> [Script] {
    [
      Script("cancelled-sign-out-\(kind)", Shape(cache: kind, slowness: 2000)) {
        $0.signIn($0.alice)
        $0.signIn($0.bob)
        $0.cancelSignOut(withinJobs: 20)
      },
      Script("provider-never-answers-\(kind)", Shape(cache: kind)) {
        $0.signInAlice(7200)
        $0.fail("/token", by: .never)
        let (first, second) = ($0.start(.token()), $0.start(.token()))
        $0.world.wait(first, second)
        // It is not waited for longer than twice the limit of a request.
        if machine.draw.happens(500) { $0.call(.close) }
        $0.pass(60)
        $0.expectSuccess($0.call(.token()))
      },
    ]
  }

  /// A kill or a power cut between two accesses to the store, over every cache that outlives its process.
  static let deaths: [Script] = CacheKind.allCases.filter(\.isLasting).flatMap { kind in
    [("refresh", Operation.token), ("sign-in", .signIn), ("sign-out", .signOut)].map { name, operation in
      Script("dies-amid-\(name)-\(kind)", Shape(cache: kind)) {
        $0.signInAlice(7200)
        $0.world.die(
          $0.world.processes[0], afterAccesses: machine.draw.below(kind.isFile ? 40 : 12),
          ofPowerCut: machine.draw.happens(500))
        $0.world.wait(operation.start($0))
        $0.world.death = nil
        $0.call(.session)
        $0.call(.token())
      }
    }
  }
}

extension Stage {
  /// A sign-out of all is cancelled at any moment.
  func cancelSignOut(withinJobs jobs: Int) {
    let out = start(.signOut())
    if machine.draw.happens(500) {
      world.pass(jobs: machine.draw.below(jobs), timeless: true)
    } else {
      jitter(14)
    }
    world.cancel(out)
    world.wait(out)
  }
}
