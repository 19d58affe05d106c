import B2CConnector
import B2CTestKit

extension Script {
  /// Who is current changes by a sign-in or a sign-out only: no clock, no error and no damaged record does it.
  static let current: [Script] =
    clocks + CacheKind.allCases.filter(\.isLasting).flatMap(parts(over:))
    + CacheKind.allCases.filter(\.isFile).flatMap(damages(over:))
    + [LocalTenant.Shape.b2c, .entra, .ciam, .openIDConnect].map(required(at:))

  /// A store of which a part refuses for a while: the reading of one record, the listing, the removing.
  private static func parts(over kind: CacheKind) -> [Script] {
    [
      Script("unreadable-current-\(kind)", Shape(cache: kind, connectors: 2)) {
        $0.signInBoth()
        $0.refuse(.reading, of: $0.bob)
        for _ in 0..<machine.draw.number(1...6) { $0.callAnything() }
        if machine.draw.happens(300) {
          try $0.restart()
          for _ in 0..<machine.draw.number(1...3) { $0.callAnything() }
        }
        $0.heal()
        for number in 1...2 {
          $0.call(.add(title: "healed-\(number)"), on: number)
          $0.expectCurrent($0.bob, on: number)
        }
      },
      Script("unreadable-at-launch-\(kind)", Shape(cache: kind)) {
        $0.signInBoth()
        $0.refuse(.reading, of: $0.bob)
        try $0.restart()
        $0.jitter(5000)
        for _ in 0..<machine.draw.number(1...4) { $0.callAnything() }
        $0.heal()
        $0.call(.add(title: "healed"))
        $0.expectCurrent($0.bob)
      },
      Script("unlisted-\(kind)", Shape(cache: kind, connectors: 2)) {
        $0.signInBoth()
        $0.refuse(.listing)
        for _ in 0..<machine.draw.number(1...5) { $0.callAnything() }
        if machine.draw.happens(500) { $0.call(.signOut()) }
        $0.heal()
        $0.call(.add(title: "healed"), on: 2)
        $0.call(.session)
        $0.call(.users)
      },
      Script("unremovable-\(kind)", Shape(cache: kind)) {
        $0.signInBoth()
        let resisting = machine.draw.one(of: $0.world.people)
        $0.refuse(.removing, of: resisting)
        $0.call(machine.draw.one(of: [.signOut(), .signOut(person: resisting.id)]))
        $0.call(.session)
        $0.call(.add(title: "of-the-rest"))
        $0.heal()
        $0.call(.session)
        $0.call(.signOut())
        $0.call(.session)
      },
      Script("unremovable-and-cancelled-\(kind)", Shape(cache: kind, slowness: 2000)) {
        $0.signInBoth()
        $0.refuse(.removing, of: machine.draw.one(of: $0.world.people))
        $0.cancelSignOut(withinJobs: 40)
        $0.heal()
        $0.call(.session)
      },
    ]
  }

  /// A damaged record of the current user, which stays where it is until somebody signs in or all sign out.
  private static func damages(over kind: CacheKind) -> [Script] {
    let damages: [(name: String, processes: Int, restarts: Bool)] = [
      ("current", 1, false), ("at-launch", 1, true), ("in-two-processes", 2, false),
    ]
    return damages.map { name, processes, restarts in
      Script("damaged-\(name)-\(kind)", Shape(cache: kind, processes: processes, connectors: 2)) {
        $0.signInBoth()
        if machine.draw.happens(500) { $0.call(machine.draw.one(of: [.users, .session]), process: processes) }
        $0.world.damageRecord(of: $0.bob)
        if restarts { try $0.restart() }
        for number in 0..<3 {
          // The button "try again".
          $0.call(.add(title: "try-\(number)"))
          $0.callAnything(process: processes)
        }
        switch machine.draw.below(5) {
        case 0: $0.signIn($0.alice, process: processes)
        case 1: $0.signIn($0.bob, process: processes)
        case 2: $0.call(.signOut(), process: processes)
        case 3: $0.call(.signOut(person: $0.bob.id), process: processes)
        default: break
        }
        for action in [Action.session, .users, .add(title: "after")] { $0.call(action, process: processes) }
      }
    } + [
      // A sign-in follows damage that nobody has seen.
      Script("damaged-unseen-\(kind)", Shape(cache: kind)) {
        $0.signInBoth()
        $0.world.damageRecord(of: $0.bob)
        $0.signIn(machine.draw.one(of: $0.world.people))
        $0.call(.session)
        $0.call(.users)
      }
    ]
  }

  /// The settings name a user by address, and the id_token of a refresh has none.
  private static func required(at provider: LocalTenant.Shape) -> Script {
    Script("required-by-address-\(provider)", Shape(connectors: 2, provider: provider, requiresFirst: true)) {
      $0.signIn($0.alice)
      $0.signIn($0.bob)
      for _ in 0..<2 {
        $0.pass(7200)
        $0.call(.token())
        for number in 1...2 {
          $0.expectCurrent($0.alice, on: number)
          $0.call(.add(title: "of-alice-\($0.world.ledger.calls)"), on: number)
        }
      }
      try $0.restart()
      $0.call(.token())
      $0.expectCurrent($0.alice, on: 2)
    }
  }

  /// Edits by those who are not current.
  static let strangers: [Script] = CacheKind.allCases.flatMap { kind in
    [
      Script("edit-by-another-\(kind)", Shape(cache: kind)) {
        $0.signInAlice(60)
        $0.signIn($0.bob)
        $0.world.wait($0.startEdit(of: $0.alice, "Changed"))
        $0.expect("Changed", of: $0.alice)
        $0.expectCurrent($0.bob)
      },
      Script("edit-by-a-stranger-\(kind)", Shape(cache: kind)) {
        $0.signIn($0.alice)
        $0.world.wait($0.startEdit(of: $0.bob, "Changed"))
        $0.expect(nil, of: $0.bob)
        $0.expectCurrent($0.alice)
      },
    ]
  }
}
