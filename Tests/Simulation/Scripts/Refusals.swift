import B2CConnector
import B2CTestKit
import Foundation
import FoundationNetworking

extension Script {
  /// A store that refuses an access, whichever it is, and a provider that never answers.
  static let refusals: [Script] =
    CacheKind.allCases.filter(\.isLasting).flatMap(refusals(over:)) + CacheKind.allCases.flatMap(others(over:))

  private static func refusals(over kind: CacheKind) -> [Script] {
    func refusal(_ name: String, _ what: String, _ step: @escaping @Sendable (Stage) -> Call) -> Script {
      Script("refused-amid-\(name)-\(kind)", "an access fails while \(what)", Shape(cache: kind)) {
        $0.signIn($0.bob, on: $0.app(1))
        $0.pass(60)
        $0.signInAlice(7200)
        $0.world.hiccup(machine.draw.number(1...2))
        $0.world.wait(step($0))
        $0.pass(60)
        // Nothing is read until the last look: what is told has to come by itself.
        $0.world.store.trouble = StoreTrouble()
      }
    }
    return [
      refusal("refresh", "a refresh is stored") { $0.start($0.token, on: $0.app(1)) },
      refusal("sign-in", "a second sign-in is stored") { $0.startSignIn($0.alice, on: $0.app(1)) },
      refusal("other-sign-in", "another person signs in") { $0.startSignIn($0.bob, on: $0.app(1)) },
      refusal("sign-out", "everybody signs out") { $0.start(.signOutAll(), on: $0.app(1)) },
      refusal("sign-out-of-one", "one of two people signs out") {
        $0.start(.signOut(person: $0.alice.id), on: $0.app(1))
      },
      refusal("edit", "a person edits the profile who is not the current one") {
        $0.startEdit(of: $0.bob, "New", on: $0.app(1)) ?? $0.start(.session, on: $0.app(1))
      },
      Script(
        "launched-while-away-\(kind)", "the store is away at a launch, and for a while after it", Shape(cache: kind)
      ) {
        $0.signIn($0.alice, on: $0.app(1))
        $0.world.store.trouble.isUnreachable = true
        try $0.world.restart($0.world.processes[0])
        $0.pass(40)
        $0.world.store.trouble = StoreTrouble()
      },
    ]
  }

  private static func others(over kind: CacheKind) -> [Script] {
    [
      Script(
        "cancelled-sign-out-\(kind)", "a sign-out of two people is cancelled at any moment",
        Shape(cache: kind, slowness: 2000)
      ) {
        $0.signIn($0.alice, on: $0.app(1))
        $0.signIn($0.bob, on: $0.app(1))
        let out = $0.start(.signOutAll(), on: $0.app(1))
        if machine.draw.happens(500) {
          $0.world.pass(jobs: machine.draw.below(20), timeless: true)
        } else {
          $0.jitter(14)
        }
        $0.world.cancel(out)
        $0.world.wait(out)
      },
      Script("provider-never-answers-\(kind)", "a refresh whose transport never returns", Shape(cache: kind)) {
        $0.signInAlice(7200)
        $0.world.nextFault = (fits: { $0.url?.path.hasSuffix("/token") == true }, fault: .never)
        let (first, second) = ($0.start($0.token, on: $0.app(1)), $0.start($0.token, on: $0.app(1)))
        $0.world.wait(first, second)
        // It is not waited for longer than twice the limit of a request.
        if machine.draw.happens(500) { $0.call(.close, on: $0.app(1)) }
        $0.pass(60)
        $0.world.expectsSuccess($0.call($0.token, on: $0.app(1)))
      },
    ]
  }

  /// A kill or a power cut between two accesses to the store, over every cache that outlives its process.
  static let deaths: [Script] = CacheKind.allCases.filter(\.isLasting)
    .flatMap(deaths(over:))

  private static func deaths(over kind: CacheKind) -> [Script] {
    func death(_ name: String, _ what: String, _ step: @escaping @Sendable (Stage) -> Call) -> Script {
      Script("dies-amid-\(name)-\(kind)", what, Shape(cache: kind)) {
        $0.signInAlice(7200)
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

extension Stage {
  /// Edits the profile of a person, where there is a policy for it.
  func startEdit(of person: LocalUser, _ newName: String, on app: App) -> Call? {
    guard let policy = world.settings.policies.policy(of: .profileEdit) else { return nil }
    var plan = plan(person)
    plan.newName = newName
    return world.start(.editProfile(policy), on: app, plan: plan)
  }
}

extension World {
  /// Judges that a call succeeds, whatever hung before or was refused.
  func expectsSuccess(_ call: Call) {
    ledger.tested(.staysSignedIn)
    if !call.succeeded { ledger.fault("I4 what is over keeps a person from going on", "\(call.name): \(call.summary)") }
  }
}
