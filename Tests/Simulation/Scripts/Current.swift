import B2CConnector
import B2CTestKit

extension Script {
  /// Who is current changes by a sign-in or a sign-out only: no clock, no error and no damaged record does it.
  static let current: [Script] = clocks + stores + requirements

  private static let stores: [Script] =
    CacheKind.allCases.filter(\.isLasting).flatMap(parts(over:))
    + CacheKind.allCases.filter(\.isFile).flatMap(damages(over:))
  private static let requirements: [Script] = [LocalTenant.Shape.b2c, .entra, .ciam, .openIDConnect]
    .map(required(at:))

  /// A store of which a part refuses: the reading of one record, the listing, the removing.
  private static func parts(over kind: CacheKind) -> [Script] {
    [
      Script(
        "unreadable-current-\(kind)", "the record of the current user cannot be read for a while",
        Shape(cache: kind, connectors: 2)
      ) {
        $0.signInBoth()
        $0.refuse(.reading, of: $0.bob)
        for _ in 0..<machine.draw.number(1...6) { $0.callAnything() }
        if machine.draw.happens(300) {
          try $0.world.restart($0.world.processes[0])
          for _ in 0..<machine.draw.number(1...3) { $0.callAnything() }
        }
        $0.heal()
        for number in 1...2 {
          $0.call(.add(title: "healed-\(number)"), on: $0.app(number))
          $0.world.expectsCurrent($0.bob, $0.call(.session, on: $0.app(number)))
        }
      },
      Script(
        "unreadable-at-launch-\(kind)", "the record of the current user cannot be read after a launch",
        Shape(cache: kind)
      ) {
        $0.signInBoth()
        $0.refuse(.reading, of: $0.bob)
        try $0.world.restart($0.world.processes[0])
        $0.jitter(5000)
        for _ in 0..<machine.draw.number(1...4) { $0.callAnything() }
        $0.heal()
        $0.call(.add(title: "healed"), on: $0.app(1))
        $0.world.expectsCurrent($0.bob, $0.call(.session, on: $0.app(1)))
      },
      Script("unlisted-\(kind)", "the store cannot be listed for a while", Shape(cache: kind, connectors: 2)) {
        $0.signInBoth()
        $0.refuse(.listing)
        for _ in 0..<machine.draw.number(1...5) { $0.callAnything() }
        if machine.draw.happens(500) { $0.call(.signOutAll(), on: $0.app(1)) }
        $0.heal()
        $0.call(.add(title: "healed"), on: $0.app(2))
        $0.call(.session, on: $0.app(1))
        $0.call(.users, on: $0.app(1))
      },
      Script("unremovable-\(kind)", "the record of one of two users cannot be removed for a while", Shape(cache: kind))
      {
        $0.signInBoth()
        let resisting = machine.draw.one(of: $0.world.people)
        $0.refuse(.removing, of: resisting)
        $0.call(machine.draw.one(of: [.signOutAll(), .signOut(person: resisting.id)]), on: $0.app(1))
        $0.call(.session, on: $0.app(1))
        $0.call(.add(title: "of-the-rest"), on: $0.app(1))
        $0.heal()
        $0.call(.session, on: $0.app(1))
        $0.call(.signOutAll(), on: $0.app(1))
        $0.call(.session, on: $0.app(1))
      },
      Script(
        "unremovable-and-cancelled-\(kind)", "a sign-out is cancelled while a record cannot be removed",
        Shape(cache: kind, slowness: 2000)
      ) {
        $0.signInBoth()
        $0.refuse(.removing, of: machine.draw.one(of: $0.world.people))
        let out = $0.start(.signOutAll(), on: $0.app(1))
        if machine.draw.happens(500) {
          $0.world.pass(jobs: machine.draw.below(40), timeless: true)
        } else {
          $0.jitter(14)
        }
        $0.world.cancel(out)
        $0.world.wait(out)
        $0.heal()
        $0.call(.session, on: $0.app(1))
      },
    ]
  }

  /// A damaged record of the current user, which stays where it is until somebody signs in or all sign out.
  private static func damages(over kind: CacheKind) -> [Script] {
    func damage(_ name: String, _ what: String, processes: Int = 1, restarts: Bool = false) -> Script {
      Script(
        "damaged-\(name)-\(kind)", "the record of the current user is damaged, \(what)",
        Shape(cache: kind, processes: processes, connectors: 2)
      ) {
        $0.signInBoth()
        let last = $0.app(1, process: processes)
        if machine.draw.happens(500) { $0.call(machine.draw.one(of: [.users, .session]), on: last) }
        $0.world.damageRecord(of: $0.bob)
        if restarts { try $0.world.restart($0.world.processes[0]) }
        if machine.draw.happens(500) { $0.call(machine.draw.one(of: [.users, .session]), on: last) }
        for number in 0..<3 {
          // The button "try again".
          $0.call(.add(title: "try-\(number)"), on: $0.app(1))
          $0.callAnything(process: processes)
        }
        switch machine.draw.below(5) {
        case 0: $0.signIn($0.alice, on: last)
        case 1: $0.signIn($0.bob, on: last)
        case 2: $0.call(.signOutAll(), on: last)
        case 3: $0.call(.signOut(person: $0.bob.id), on: last)
        default: break
        }
        $0.call(.session, on: last)
        $0.call(.users, on: last)
        $0.call(.add(title: "after"), on: last)
      }
    }
    return [
      damage("current", "and the app goes on"),
      damage("at-launch", "and the app starts again", restarts: true),
      damage("in-two-processes", "and two processes go on", processes: 2),
      Script("damaged-unseen-\(kind)", "a sign-in follows damage that nobody has seen", Shape(cache: kind)) {
        $0.signInBoth()
        $0.world.damageRecord(of: $0.bob)
        $0.signIn(machine.draw.one(of: $0.world.people), on: $0.app(1))
        $0.call(.session, on: $0.app(1))
        $0.call(.users, on: $0.app(1))
      },
    ]
  }

  /// The settings name a user by address, and the id_token of a refresh has none.
  private static func required(at provider: LocalTenant.Shape) -> Script {
    Script(
      "required-by-address-\(provider)", "the id_token of a refresh lacks the address that the settings require",
      Shape(connectors: 2, provider: provider, requiresFirst: true)
    ) {
      $0.signIn($0.alice, on: $0.app(1))
      $0.signIn($0.bob, on: $0.app(1))
      for _ in 0..<2 {
        $0.pass(7200)
        $0.call($0.token, on: $0.app(1))
        for number in 1...2 {
          $0.world.expectsCurrent($0.alice, $0.call(.session, on: $0.app(number)))
          $0.call(.add(title: "of-alice-\($0.world.ledger.calls)"), on: $0.app(number))
        }
      }
      try $0.world.restart($0.world.processes[0])
      $0.call($0.token, on: $0.app(1))
      $0.world.expectsCurrent($0.alice, $0.call(.session, on: $0.app(2)))
    }
  }

  /// Edits by those who are not current.
  static let strangers: [Script] =
    CacheKind.allCases.flatMap { kind in
      [
        Script("edit-by-another-\(kind)", "the second of two users edits her profile", Shape(cache: kind)) {
          $0.signInAlice(60)
          $0.signIn($0.bob, on: $0.app(1))
          guard let edit = $0.startEdit(of: $0.alice, "Changed", on: $0.app(1)) else { return }
          $0.world.wait(edit)
          $0.world.expects("Changed", of: $0.alice)
          $0.world.expectsCurrent($0.bob, $0.call(.session, on: $0.app(1)))
        },
        Script("edit-by-a-stranger-\(kind)", "a person edits a profile who is not signed in", Shape(cache: kind)) {
          $0.signIn($0.alice, on: $0.app(1))
          guard let edit = $0.startEdit(of: $0.bob, "Changed", on: $0.app(1)) else { return }
          $0.world.wait(edit)
          $0.world.expects(nil, of: $0.bob)
          $0.world.expectsCurrent($0.alice, $0.call(.session, on: $0.app(1)))
        },
      ]
    }
}

extension Stage {
  /// Alice signs in, then Bob, who is current; half of the schedules go on when the access tokens have expired.
  func signInBoth() {
    signIn(alice, on: app(1))
    pass(60)
    signIn(bob, on: app(1))
    pass(machine.draw.one(of: [60, 7200]))
  }

  /// Part of the store refuses, once, a few times or until it is healed, with the driver's own error or another.
  func refuse(_ kind: Access, of person: LocalUser? = nil) {
    var refusal = Refusal(kind: kind, person: person?.id)
    refusal.times = machine.draw.one(of: [1, 2, 3, .max, .max])
    switch machine.draw.below(4) {
    case 0: refusal.error = ConnectorError(.tokenCache, "The simulated row is locked.", isRetryable: true)
    case 1: refusal.error = CancellationError()
    default: break
    }
    world.store.trouble.refusals.append(refusal)
  }

  func heal() {
    world.note("the store is well")
    world.store.trouble = StoreTrouble()
  }

  /// A call of one of the connectors that changes nothing of who is signed in, and a pause.
  func callAnything(process: Int = 1) {
    let app = machine.draw.one(of: world.processes[process - 1].apps)
    let title = "any-\(world.ledger.calls)"
    call(machine.draw.one(of: [.add(title: title), .list, .session, .users, token, freshToken]), on: app)
    pass(machine.draw.one(of: [0, 1, 70]))
  }
}

extension World {
  /// Judges the name in the stored record of a person; `nil` for a person without a record.
  func expects(_ name: String?, of person: LocalUser) {
    ledger.tested(.claimsAreTrue)
    let id = userID(of: person.id)
    let record = store.records(inMemoryOf: processes).first { $0.key.userID == id }?.record
    if record?.claims["name"]?.string != name {
      ledger.fault("I6 an edit is not laid over the record of the user who finished it", person.displayName)
    }
  }

  /// Judges whom `session` names.
  func expectsCurrent(_ person: LocalUser, _ call: Call) {
    ledger.tested(.rightPerson)
    if case .success(.session(.signedIn(let user))) = call.result, user.subject == person.id { return }
    ledger.fault("I2 session names another person than the one who signed in last", "\(call.name): \(call.summary)")
  }
}
