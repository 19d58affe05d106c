import B2CConnector
import B2CTestKit

extension Script {
  /// Who signed in last is current, whatever the device's clock says at the sign-ins and after them.
  static let clocks: [Script] =
    CacheKind.allCases.flatMap(clocks(over:)) + CacheKind.allCases.flatMap(instants(over:))
    + CacheKind.allCases.filter(\.isShared).flatMap(processes(over:))

  /// A clock that is ahead or behind at one of two sign-ins, and right for hours after it.
  private static func clocks(over kind: CacheKind) -> [Script] {
    let clocks: [(name: String, first: Double, second: Double, restarts: Bool)] = [
      ("ahead-at-first-sign-in", 7200, 0, false), ("behind-at-second-sign-in", 0, -7200, false),
      ("ahead-at-second-sign-in", 0, 7200, false), ("right-after-launch", 7200, 0, true),
    ]
    return clocks.map { clock in
      Script("clock-\(clock.name)-\(kind)", Shape(cache: kind, connectors: 2)) {
        $0.world.clockOffset = clock.first
        $0.signIn($0.alice)
        if clock.restarts, kind.isLasting {
          $0.world.clockOffset = 0
          try $0.restart()
        }
        $0.world.clockOffset = clock.second
        $0.pass(60)
        $0.signIn($0.bob)
        $0.world.clockOffset = 0
        try $0.staysCurrent(for: 3)
      }
    }
  }

  /// Sign-ins in two processes.
  private static func processes(over kind: CacheKind) -> [Script] {
    [
      Script("clock-ahead-in-another-process-\(kind)", Shape(cache: kind, processes: 2)) {
        $0.world.clockOffset = 7200
        $0.signIn($0.alice)
        $0.world.clockOffset = 0
        // The second process has seen her sign-in, so that its own is the later one.
        $0.call(.session, process: 2)
        $0.signIn($0.bob, process: 2)
        for _ in 0..<3 {
          for process in 1...2 { $0.expectCurrent($0.bob, process: process) }
          $0.pass(3600)
        }
      },
      Script("unreadable-in-another-process-\(kind)", Shape(cache: kind, processes: 2)) {
        $0.signIn($0.alice)
        $0.call(.session, process: 2)
        $0.pass(60)
        $0.signIn($0.bob)
        $0.refuse(.reading, of: $0.bob)
        for _ in 0..<3 { $0.call(.session, process: 2) }
        $0.heal()
        for process in 1...2 { $0.expectCurrent($0.bob, process: process) }
      },
    ]
  }

  /// Sign-ins at one instant of the device's clock, and at once.
  private static func instants(over kind: CacheKind) -> [Script] {
    [
      Script("one-instant-\(kind)", Shape(cache: kind, connectors: 2)) {
        $0.world.stoppedClock = $0.world.deviceNow
        $0.signIn($0.alice)
        $0.signIn($0.bob, on: 2)
        for number in 1...2 {
          $0.call(.users, on: number)
          $0.expectCurrent($0.bob, on: number)
        }
        $0.signIn($0.alice, on: 2)
        $0.call(.users)
        $0.expectCurrent($0.alice)
        $0.signIn($0.bob)
        $0.call(.users, on: 2)
        $0.world.stoppedClock = nil
        try $0.staysCurrent(for: 2)
      },
      Script("two-at-once-\(kind)", Shape(cache: kind, connectors: 2, slowness: 400_000)) {
        if machine.draw.happens(500) { $0.world.stoppedClock = $0.world.deviceNow }
        let alice = $0.startSignIn($0.alice)
        $0.jitter(40)
        $0.world.wait(alice, $0.startSignIn($0.bob, on: 2))
        // Now somebody is current, and stays so.
        $0.call(.add(title: "of-the-last"))
        $0.call(.session, on: 2)
        $0.world.stoppedClock = nil
        for number in 0..<3 {
          $0.call(.users)
          $0.call(.add(title: "later-\(number)"), on: 2)
          $0.call(.session)
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
      expectCurrent(bob)
      call(.add(title: "of-bob-\(number)"), on: 2)
      call(.users, on: 2)
      pass(1800)
    }
    guard world.store.kind.isLasting else { return }
    try restart()
    expectCurrent(bob)
  }
}
