import B2CConnector
import B2CTestKit
import Foundation
import FoundationNetworking

extension Script {
  /// What neither a walk nor a pair of operations leads to often enough.
  static let directed: [Script] = sharedCaches + oneConnector + files

  /// Two processes, and two connectors whose caches are not one object.
  private static let sharedCaches: [Script] = [
    Script(
      "another-process-signs-in", "a process learns who is current when it reads the session",
      Shape(cache: .file, processes: 2)
    ) {
      $0.signIn($0.alice, on: $0.app(1))
      $0.call(.session, on: $0.app(1))
      $0.pass(60)
      $0.signIn($0.bob, on: $0.app(1, process: 2))
      $0.pass(60)
      $0.call(.session, on: $0.app(1))
    },
    Script(
      "cancelled-waiter-of-a-lock", "three connectors wait for one refresh, and one of them leaves",
      Shape(connectors: 3, distance: 400)
    ) {
      $0.signInAlice(7200)
      let first = $0.start($0.token, on: $0.app(1))
      $0.jitter(100)
      let second = $0.start($0.token, on: $0.app(2))
      $0.jitter(20)
      let third = $0.start($0.token, on: $0.app(3))
      $0.jitter(100)
      $0.world.cancel(third)
      $0.world.wait(first, second, third)
    },
    Script("look-up-during-sign-in", "a look-up that began before a sign-in ends after it", Shape(slowness: 20_000)) {
      $0.signIn($0.alice, on: $0.app(1))
      let bob = $0.startSignIn($0.bob, on: $0.app(1))
      while bob.result == nil {
        _ = $0.start(.session, on: $0.app(1))
        $0.jitter(20)
      }
      $0.pass(1)
      $0.call(.add(title: "of-bob"), on: $0.app(1))
    },
  ]

  /// One connector, one process.
  private static let oneConnector: [Script] = [
    Script("cancelled-refresh", "one of two callers of a refresh, or both, leave", Shape(distance: 400)) {
      $0.signInAlice(7200)
      let (first, second) = ($0.start($0.token, on: $0.app(1)), $0.start($0.token, on: $0.app(1)))
      $0.jitter(600)
      $0.world.cancel(first)
      if machine.draw.happens(500) { $0.world.cancel(second) }
      $0.world.wait(first, second)
    },
    Script(
      "sign-in-during-refresh", "the same person signs in again while a refresh is under way", Shape(distance: 2000)
    ) {
      $0.signInAlice(7200)
      let refresh = $0.start($0.token, on: $0.app(1))
      $0.world.wait($0.startSignIn($0.alice, on: $0.app(1)), refresh)
    },
    Script(
      "answer-of-a-refresh-is-lost", "a refresh token that was used is taken again, so the session goes on",
      Shape(reuse: .allowed)
    ) {
      $0.signIn($0.alice, on: $0.app(1))
      for fault in [Weather.Fault.lostAfter, .cut, .shortened, .silent, .gateway] {
        $0.pass(7200)
        $0.world.nextFault = (fits: { $0.url?.path.hasSuffix("/token") == true }, fault: fault)
        $0.call($0.token, on: $0.app(1))
        $0.call($0.token, on: $0.app(1))
      }
    },
    Script("api-refuses-all", "an API that refuses every token is asked with a new one once a minute") {
      $0.signIn($0.alice, on: $0.app(1))
      $0.world.watch.refusesAll = true
      for _ in 0..<10 { $0.call(.list, on: $0.app(1)) }
    },
    Script(
      "close-after-cancelled-refresh", "a connector is closed while a refresh that all callers left is under way",
      Shape(cache: .shared, distance: 400)
    ) {
      $0.signInAlice(7200)
      let call = $0.start($0.token, on: $0.app(1))
      $0.jitter(600)
      $0.world.cancel(call)
      $0.call(.close, on: $0.app(1))
    },
  ]

  /// What a power cut does to files.
  private static let files: [Script] = [
    Script("power-cut", "what was stored is there after a power cut", Shape(cache: .file)) {
      $0.signIn($0.alice, on: $0.app(1))
      $0.call($0.freshToken, on: $0.app(1))
      $0.pass(60)
      try $0.world.losePower()
      $0.call($0.freshToken, on: $0.app(1))
    },
    Script("power-cut-after-sign-out", "a second sign-out makes the first one last", Shape(cache: .file)) {
      $0.signIn($0.alice, on: $0.app(1))
      $0.call($0.freshToken, on: $0.app(1))
      $0.world.store.trouble.isFull = true
      $0.call(.signOutAll(), on: $0.app(1))
      $0.world.store.trouble.isFull = machine.draw.happens(500)
      $0.call(.signOut(person: $0.alice.id), on: $0.app(1))
      try $0.world.losePower()
      $0.world.store.trouble = StoreTrouble()
      $0.call(.session, on: $0.app(1))
    },
  ]
}
