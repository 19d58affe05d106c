#if os(Linux)
  import B2CConnector
  import B2CTestKit
  import Foundation

  extension Script {
    /// What walks found and no other script leads to; the README names their seeds.
    static let foundBySeeds: [Script] = [
      Script(
        "same-second", "two people sign in in two processes within a second, the clock an hour off",
        {
          $0.cache = .shared; $0.processes = 2; $0.clockSkew = 3600
          // Both read the server's time as the same second, each a little later than it was told.
          $0.slowness = 20_000; $0.distance = 20
        }
      ) {
        $0.signInAtOnce($0.alice, on: $0.app(1))
        $0.signInAtOnce($0.bob, on: $0.app(1, process: 2))
        $0.call(.session, on: $0.app(1))
      },
      Script(
        "named-after-another-process", "a call that names the current user uses the session of another process, too",
        {
          $0.cache = .file; $0.processes = 2
        }
      ) {
        $0.signIn($0.alice, on: $0.app(1), policy: 0)
        $0.call(.token(person: $0.alice.id, policy: nil, force: false), on: $0.app(1))
        $0.pass(60)
        $0.signIn($0.alice, on: $0.app(1, process: 2), policy: 1)
        $0.jitter(10_000)
        let named = $0.call(.token(person: $0.alice.id, policy: nil, force: false), on: $0.app(1))
        $0.world.expectsOneSession(of: named, $0.call($0.token, on: $0.app(1)))
      },
      Script(
        "protected-items-unlisted", "a keychain refuses one access of a sign-out, such as the list of protected items",
        {
          $0.cache = .keychain; $0.isProtected = true; $0.provider = .entra
        }
      ) {
        $0.signIn($0.alice, on: $0.app(1))
        $0.world.store.trouble.failingAccesses = 1
        $0.world.store.trouble.sparedAccesses = machine.draw.below(6)
        $0.call(.signOut(person: $0.alice.id), on: $0.app(1))
      },
      Script(
        "protected-item-of-failed-sign-in", "a keychain refuses one access of a second sign-in, such as the record's",
        {
          $0.cache = .keychain; $0.isProtected = true; $0.provider = .entra
        }
      ) {
        $0.signIn($0.alice, on: $0.app(1))
        $0.world.store.trouble.failingAccesses = 1
        $0.world.store.trouble.sparedAccesses = machine.draw.below(6)
        $0.world.expectsNoProtectedToken(ofFailed: $0.signIn($0.alice, on: $0.app(1)))
      },
      Script(
        "sign-in-during-protected-refresh", "the same person signs in again while a protected token is read",
        {
          $0.cache = .lockedKeychain; $0.isProtected = true; $0.processes = 2; $0.provider = .entra; $0.distance = 0
        }
      ) {
        $0.world.store.keychain.refusals = 0
        $0.signIn($0.alice, on: $0.app(1))
        // The two meet in few of many orders.
        for _ in 0..<12 {
          let signIn = $0.startSignInAtOnce($0.alice, on: $0.app(1, process: 2))
          $0.world.pass(jobs: machine.draw.below(150))
          $0.world.wait(signIn, $0.start($0.freshToken, on: $0.app(1, process: 2)))
          $0.call($0.freshToken, on: $0.app(1))
        }
      },
      Script(
        "claims-of-another", "claims of a policy by which another person signed in than the current one",
        {
          $0.cache = .file; $0.connectors = 2
        }
      ) {
        $0.signIn($0.alice, on: $0.app(1), policy: 0)
        $0.signIn($0.bob, on: $0.app(2), policy: 1)
        $0.call(.claims($0.world.policies[0]), on: $0.app(1))
      },
      Script(
        "close-after-cancelled-refresh", "a connector is closed while a refresh that all callers left is under way",
        {
          $0.cache = .shared; $0.distance = 400
        }
      ) {
        $0.signIn($0.alice, on: $0.app(1))
        $0.pass(7200)
        let call = $0.start($0.token, on: $0.app(1))
        $0.jitter(600)
        $0.world.cancel(call)
        $0.call(.close, on: $0.app(1))
      },
      Script("quarantined-at-sign-out", "a damaged record is set apart, and its owner signs out", { $0.cache = .file })
      {
        $0.signIn($0.alice, on: $0.app(1))
        $0.world.damageRecord()
        $0.call(.session, on: $0.app(1))
        $0.call(.signOut(person: $0.alice.id), on: $0.app(1))
      },
    ]
  }

  extension Stage {
    /// Signs in a person who needs no time at the page, and waits.
    fileprivate func signInAtOnce(_ person: LocalUser, on app: App) {
      world.wait(startSignInAtOnce(person, on: app))
    }

    fileprivate func startSignInAtOnce(_ person: LocalUser, on app: App) -> Call {
      var plan = plan(person)
      plan.time = 0
      return world.start(.signIn(world.policies.first), on: app, plan: plan)
    }
  }

  extension World {
    /// Judges that a call that names the current user uses the session that one for the current user does.
    fileprivate func expectsOneSession(of named: Call, _ current: Call) {
      guard case .success(.token(let one)) = named.result, case .success(.token(let other)) = current.result else {
        return
      }
      ledger.tested(.rightClaims)
      if watch.ofAccessToken[one.token.value] !== watch.ofAccessToken[other.token.value] {
        ledger.fault("I2 the current user's session is another where the user is named", named.name)
      }
    }

    /// Judges that a sign-in that failed has left no item, which would be the newest of the record that stayed.
    ///
    /// The judge of every call leaves that open, since a keychain may refuse the removal too; here it refuses one access.
    fileprivate func expectsNoProtectedToken(ofFailed call: Call) {
      guard !call.succeeded, let grant = call.grant else { return }
      ledger.tested(.failedSignIn)
      let left = store.keychain.protected.values.contains {
        watch.grant(ofRefreshToken: String(decoding: $0, as: UTF8.self)) === grant
      }
      if left { ledger.fault("I6 a sign-in that failed leaves its protected token", call.name) }
    }
  }
#endif
