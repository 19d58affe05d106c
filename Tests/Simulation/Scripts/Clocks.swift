import B2CConnector
import B2CTestKit

extension Script {
  /// Who signed in last is current, whatever the device's clock says at the sign-ins and after them.
  static let clocks: [Script] =
    CacheKind.allCases.flatMap(clocks(over:)) + CacheKind.allCases.flatMap(instants(over:))
    + CacheKind.allCases.filter(\.isShared).flatMap(processes(over:))

  /// A clock that is ahead or behind at a sign-in, and right for hours after it.
  private static func clocks(over kind: CacheKind) -> [Script] {
    func clock(_ name: String, _ what: String, first: Double, second: Double, restarts: Bool = false) -> Script {
      Script("clock-\(name)-\(kind)", "the device's clock is \(what)", Shape(cache: kind, connectors: 2)) {
        $0.world.clockOffset = first
        $0.signIn($0.alice, on: $0.app(1))
        if restarts, kind.isLasting {
          $0.world.clockOffset = 0
          try $0.world.restart($0.world.processes[0])
        }
        $0.world.clockOffset = second
        $0.pass(60)
        $0.signIn($0.bob, on: $0.app(1))
        $0.world.clockOffset = 0
        try $0.staysCurrent(for: 3)
      }
    }
    return [
      clock("ahead-at-first-sign-in", "ahead at the first of two sign-ins", first: 7200, second: 0),
      clock("behind-at-second-sign-in", "behind at the second of two sign-ins", first: 0, second: -7200),
      clock("ahead-at-second-sign-in", "ahead at the second of two sign-ins", first: 0, second: 7200),
      clock("right-after-launch", "ahead until the app starts again", first: 7200, second: 0, restarts: true),
    ]
  }

  /// Sign-ins in two processes.
  private static func processes(over kind: CacheKind) -> [Script] {
    func processes(_ name: String, _ what: String, _ steps: @escaping @Sendable (Stage) -> Void) -> Script {
      Script("\(name)-in-another-process-\(kind)", what, Shape(cache: kind, processes: 2), steps)
    }
    return [
      processes("clock-ahead", "the clock is ahead at a sign-in in another process") {
        $0.world.clockOffset = 7200
        $0.signIn($0.alice, on: $0.app(1))
        $0.world.clockOffset = 0
        // The second process has seen her sign-in, so that its own is the later one.
        $0.call(.session, on: $0.app(1, process: 2))
        $0.signIn($0.bob, on: $0.app(1, process: 2))
        for _ in 0..<3 {
          for process in 1...2 { $0.world.expectsCurrent($0.bob, $0.call(.session, on: $0.app(1, process: process))) }
          $0.pass(3600)
        }
      },
      processes("unreadable", "the record of a person who has signed in in another process cannot be read") {
        $0.signIn($0.alice, on: $0.app(1))
        $0.call(.session, on: $0.app(1, process: 2))
        $0.pass(60)
        $0.signIn($0.bob, on: $0.app(1))
        $0.refuse(.reading, of: $0.bob)
        for _ in 0..<3 { $0.call(.session, on: $0.app(1, process: 2)) }
        $0.heal()
        for process in 1...2 { $0.world.expectsCurrent($0.bob, $0.call(.session, on: $0.app(1, process: process))) }
      },
    ]
  }

  /// Sign-ins at one instant of the device's clock, and at once.
  private static func instants(over kind: CacheKind) -> [Script] {
    [
      Script(
        "one-instant-\(kind)", "the device's clock stands still while two people sign in",
        Shape(cache: kind, connectors: 2)
      ) {
        $0.world.stoppedClock = $0.world.deviceNow
        $0.signIn($0.alice, on: $0.app(1))
        $0.signIn($0.bob, on: $0.app(2))
        for number in 1...2 {
          $0.call(.users, on: $0.app(number))
          $0.world.expectsCurrent($0.bob, $0.call(.session, on: $0.app(number)))
        }
        $0.signIn($0.alice, on: $0.app(2))
        $0.call(.users, on: $0.app(1))
        $0.world.expectsCurrent($0.alice, $0.call(.session, on: $0.app(1)))
        $0.signIn($0.bob, on: $0.app(1))
        $0.call(.users, on: $0.app(2))
        $0.world.stoppedClock = nil
        try $0.staysCurrent(for: 2)
      },
      Script(
        "two-at-once-\(kind)", "two people sign in at once, each with another connector",
        Shape(cache: kind, connectors: 2, slowness: 400_000)
      ) {
        if machine.draw.happens(500) { $0.world.stoppedClock = $0.world.deviceNow }
        let alice = $0.startSignIn($0.alice, on: $0.app(1))
        $0.jitter(40)
        $0.world.wait(alice, $0.startSignIn($0.bob, on: $0.app(2)))
        // Now somebody is current, and stays so.
        $0.call(.add(title: "of-the-last"), on: $0.app(1))
        $0.call(.session, on: $0.app(2))
        $0.world.stoppedClock = nil
        for number in 0..<3 {
          $0.call(.users, on: $0.app(1))
          $0.call(.add(title: "later-\(number)"), on: $0.app(2))
          $0.call(.session, on: $0.app(1))
          $0.pass(3600)
        }
      },
    ]
  }
}

extension Stage {
  /// Bob is current for hours in which nobody signs in or out, and after a launch.
  func staysCurrent(for hours: Int) throws {
    for number in 0..<(2 * hours) {
      world.expectsCurrent(bob, call(.session, on: app(1)))
      call(.add(title: "of-bob-\(number)"), on: app(2))
      call(.users, on: app(2))
      pass(1800)
    }
    guard world.store.kind.isLasting else { return }
    try world.restart(world.processes[0])
    world.expectsCurrent(bob, call(.session, on: app(1)))
  }
}
