import B2CConnector
import B2CTestKit
import Foundation

extension Script {
  /// What neither a walk nor a pair of operations leads to often enough.
  static let directed: [Script] = sharedCaches + oneConnector + files

  private static let sharedCaches: [Script] = [
    // A process learns who is current when it reads the session.
    Script("another-process-signs-in", Shape(cache: .file, processes: 2)) {
      $0.signIn($0.alice)
      $0.call(.session)
      $0.pass(60)
      $0.signIn($0.bob, process: 2)
      $0.pass(60)
      $0.call(.session)
    },
    // Three connectors wait for one refresh, and one of them leaves.
    Script("cancelled-waiter-of-a-lock", Shape(connectors: 3, distance: 400)) {
      $0.signInAlice(7200)
      let first = $0.start(.token())
      $0.jitter(100)
      let second = $0.start(.token(), on: 2)
      $0.jitter(20)
      let third = $0.start(.token(), on: 3)
      $0.jitter(100)
      $0.world.cancel(third)
      $0.world.wait(first, second, third)
    },
    // A look-up that began before a sign-in ends after it.
    Script("look-up-during-sign-in", Shape(slowness: 20_000)) {
      $0.signIn($0.alice)
      let bob = $0.startSignIn($0.bob)
      while bob.result == nil {
        _ = $0.start(.session)
        $0.jitter(20)
      }
      $0.pass(1)
      $0.call(.add(title: "of-bob"))
    },
  ]

  private static let oneConnector: [Script] = [
    // One of two callers of a refresh, or both, leave.
    Script("cancelled-refresh", Shape(distance: 400)) {
      $0.signInAlice(7200)
      let (first, second) = ($0.start(.token()), $0.start(.token()))
      $0.jitter(600)
      $0.world.cancel(first)
      if machine.draw.happens(500) { $0.world.cancel(second) }
      $0.world.wait(first, second)
    },
    Script("sign-in-during-refresh", Shape(distance: 2000)) {
      $0.signInAlice(7200)
      let refresh = $0.start(.token())
      $0.world.wait($0.startSignIn($0.alice), refresh)
    },
    // A refresh token that was used is taken again, so the session goes on.
    Script("answer-of-a-refresh-is-lost", Shape(reuse: .allowed)) {
      $0.signIn($0.alice)
      for fault in [Weather.Fault.lostAfter, .cut, .shortened, .silent, .gateway] {
        $0.pass(7200)
        $0.fail("/token", by: fault)
        $0.call(.token())
        $0.call(.token())
      }
    },
    // It is asked with a new token once a minute.
    Script("api-refuses-all") {
      $0.signIn($0.alice)
      $0.world.watch.refusesAll = true
      for _ in 0..<10 { $0.call(.list()) }
    },
    Script("close-after-cancelled-refresh", Shape(cache: .shared, distance: 400)) {
      $0.signInAlice(7200)
      let call = $0.start(.token())
      $0.jitter(600)
      $0.world.cancel(call)
      $0.call(.close)
    },
  ]

  private static let files: [Script] = [
    Script("power-cut", Shape(cache: .file)) {
      $0.signIn($0.alice)
      $0.call(.token(force: true))
      $0.pass(60)
      try $0.world.losePower()
      $0.call(.token(force: true))
    },
    // A second sign-out makes the first one last.
    Script("power-cut-after-sign-out", Shape(cache: .file)) {
      $0.signIn($0.alice)
      $0.call(.token(force: true))
      $0.world.store.trouble.isFull = true
      $0.call(.signOut())
      $0.world.store.trouble.isFull = machine.draw.happens(500)
      $0.call(.signOut(person: $0.alice.id))
      try $0.world.losePower()
      $0.heal()
      $0.call(.session)
    },
  ]

  /// What the options of connectors and calls promise.
  static let options: [Script] = [
    // The user says no before a refresh.
    Script("refresh-refused", Shape(asks: true)) {
      $0.signIn($0.alice)
      // Half of the schedules have a token that lasts for another half minute.
      $0.pass(machine.draw.one(of: [7200, 3570]))
      $0.world.unwillingness = 1000
      for _ in 0..<3 {
        $0.call(machine.draw.one(of: [.token(), .list(), .token(force: true)]))
        $0.jitter(20_000)
      }
      $0.world.unwillingness = 0
      $0.pass(60)
      $0.expectSuccess($0.call(.token()))
    },
    Script("claims-beside-refresh", Shape(connectors: 2)) {
      $0.signInAlice(7200)
      let refresh = $0.start(.token())
      $0.jitter(60)
      $0.world.wait($0.start(.token(claims: true), on: 2), refresh)
      $0.call(.token())
    },
    Script("another-than-named") {
      $0.signIn($0.alice)
      for inTwoCalls in [false, true] {
        let action = Action.signIn(person: $0.alice.id, inTwoCalls: inTwoCalls)
        $0.call(action, plan: $0.plan($0.bob))
        $0.expectCurrent($0.alice)
        $0.call(action, plan: $0.plan($0.alice))
      }
    },
    // The provider wants no further refresh for a while.
    Script("throttled-refresh") {
      $0.signIn($0.alice)
      // The token lasts for minutes, and is renewed by now.
      $0.pass(3350)
      $0.fail("/token", by: .throttled)
      for number in 0..<5 {
        $0.call(number.isMultiple(of: 2) ? .token() : .list())
        $0.jitter(40_000)
      }
    },
  ]
}
