#if os(Linux)
  import B2CConnector
  import B2CTestKit
  import Foundation

  extension Script {
    /// Every script, by the names that the README explains.
    static let all: [Script] = sharing + stores + people + directed + foundBySeeds + deaths + pairs

    /// What two connectors over one cache do to each other.
    private static let sharing: [Script] = CacheKind.allCases.flatMap { kind in
      [
        Script(
          "two-refresh-\(kind.rawValue)", "two connectors refresh at once",
          {
            $0.cache = kind; $0.connectors = 2
          }
        ) {
          $0.signIn($0.alice, on: $0.app(1))
          $0.pass(7200)
          let first = $0.start($0.token, on: $0.app(1))
          $0.jitter(60)
          $0.world.wait(first, $0.start($0.token, on: $0.app(2)))
        },
        Script(
          "sign-out-during-refresh-\(kind.rawValue)", "a sign-out by one, a refresh by the other",
          {
            $0.cache = kind; $0.connectors = 2; $0.slowness = 2000
          }
        ) {
          $0.signIn($0.alice, on: $0.app(1))
          $0.call($0.token, on: $0.app(2))
          $0.pass(7200)
          let refresh = $0.start($0.token, on: $0.app(2))
          $0.jitter(60)
          $0.world.wait($0.start(.signOutAll, on: $0.app(1)), refresh)
        },
        Script(
          "token-waits-\(kind.rawValue)", "a token that waits for a full disk, and another connector",
          {
            $0.cache = kind; $0.connectors = 2
          }
        ) {
          $0.signIn($0.alice, on: $0.app(1))
          // The lock files of a file cache are there from now on.
          $0.call($0.freshToken, on: $0.app(1))
          $0.pass(7200)
          $0.world.store.trouble.isFull = true
          $0.call($0.token, on: $0.app(2))
          $0.world.store.trouble = StoreTrouble()
          $0.jitter(100)
          $0.call($0.freshToken, on: $0.app(1))
        },
      ]
    }

    /// What a store in trouble does.
    private static let stores: [Script] = CacheKind.allCases.filter { $0 != .inMemory }.flatMap { kind in
      [
        Script(
          "waits-until-killed-\(kind.rawValue)", "an idle app with a token that waits is killed", { $0.cache = kind }
        ) {
          $0.signIn($0.alice, on: $0.app(1))
          // The lock files of a file cache are there from now on.
          $0.call($0.freshToken, on: $0.app(1))
          $0.pass(7200)
          $0.world.store.trouble.isFull = true
          let refresh = $0.start($0.token, on: $0.app(1))
          $0.world.wait(refresh)
          // What belongs to the refresh has ended too.
          $0.pass(5)
          $0.world.store.trouble = StoreTrouble()
          // Long enough for every sound implementation.
          $0.pass(300)
          $0.world.judgeWaiting()
          try $0.world.restart($0.world.processes[0])
        },
        Script("sign-in-on-full-disk-\(kind.rawValue)", "a sign-in that the disk refuses", { $0.cache = kind }) {
          $0.signIn($0.alice, on: $0.app(1))
          // The lock files of a file cache are there from now on.
          $0.call($0.freshToken, on: $0.app(1))
          $0.pass(7200)
          $0.world.store.trouble.isFull = true
          $0.call($0.token, on: $0.app(1))
          $0.signIn($0.alice, on: $0.app(1))
          $0.call($0.freshToken, on: $0.app(1))
          $0.world.store.trouble = StoreTrouble()
        },
        Script("sign-out-on-full-disk-\(kind.rawValue)", "a sign-out that the disk refuses", { $0.cache = kind }) {
          $0.signIn($0.alice, on: $0.app(1))
          // The lock files of a file cache are there from now on.
          $0.call($0.freshToken, on: $0.app(1))
          $0.pass(7200)
          $0.world.store.trouble.isFull = true
          $0.call($0.token, on: $0.app(1))
          $0.world.store.trouble.isUnreachable = true
          $0.call(.signOutAll, on: $0.app(1))
          $0.world.store.trouble = StoreTrouble()
          $0.call($0.freshToken, on: $0.app(1))
        },
        Script(
          "hiccup-at-sign-in-\(kind.rawValue)", "the cache fails between two steps of a sign-in", { $0.cache = kind }
        ) {
          $0.signIn($0.alice, on: $0.app(1))
          let carol = $0.startSignIn($0.bob, on: $0.app(1))
          $0.world.hiccup(1)
          $0.world.wait(carol)
          $0.call(.add(title: "after"), on: $0.app(1))
        },
      ]
    }

    /// What two people, two policies and a server do.
    private static let people: [Script] = [
      Script("refused-then-another", "a token is refused while another person signs in", { $0.distance = 400 }) {
        $0.signIn($0.alice, on: $0.app(1))
        $0.world.watch.refusedTokens.formUnion($0.world.watch.ofAccessToken.keys)
        $0.world.tenant.revokeGrants(of: $0.alice)
        $0.world.watch.end(grantsOf: $0.alice.id, "revoked")
        let add = $0.start(.add(title: "of-alice"), on: $0.app(1))
        $0.jitter(300)
        $0.world.wait($0.startSignIn($0.bob, on: $0.app(1)), add)
      },
      Script("signed-out-then-another", "a slow call, a sign-out, another person", { $0.distance = 2000 }) {
        $0.signIn($0.alice, on: $0.app(1))
        $0.world.watch.refusedTokens.formUnion($0.world.watch.ofAccessToken.keys)
        let add = $0.start(.add(title: "of-alice"), on: $0.app(1))
        $0.jitter(500)
        $0.world.wait($0.start(.signOutAll, on: $0.app(1)))
        $0.world.wait($0.startSignIn($0.bob, on: $0.app(1)), add)
      },
      Script("another-connector-signs-in", "each connector learns who is current", { $0.connectors = 2 }) {
        $0.signIn($0.alice, on: $0.app(1))
        $0.call($0.token, on: $0.app(2))
        $0.signIn($0.bob, on: $0.app(2))
        $0.call(.add(title: "of-bob"), on: $0.app(1))
      },
      Script(
        "clock-set-back", "the clock is set back, and another person signs in first after a start",
        { $0.cache = .file }
      ) {
        $0.signIn($0.alice, on: $0.app(1))
        $0.world.clockOffset -= 3600
        // What the app reads at its start tells it nothing.
        $0.world.store.trouble.isUnreachable = true
        try $0.world.restart($0.world.processes[0])
        $0.jitter(60)
        $0.world.store.trouble = StoreTrouble()
        $0.signIn($0.bob, on: $0.app(1))
        $0.call(.session, on: $0.app(1))
      },
      Script(
        "sign-out-waits", "a sign-out waits for the disk, the clock is set back, another process signs in",
        {
          $0.cache = .fourMethod; $0.processes = 2
        }
      ) {
        $0.signIn($0.alice, on: $0.app(1))
        $0.world.store.trouble.isFull = true
        $0.call(.signOutAll, on: $0.app(1))
        $0.world.clockOffset -= 3600
        $0.pass(30)
        $0.world.store.trouble = StoreTrouble()
        $0.jitter(900)
        $0.signIn($0.alice, on: $0.app(1, process: 2))
        $0.pass(120)
        $0.call($0.token, on: $0.app(1))
      },
      Script(
        "damage-of-another-policy", "a damaged record of a person who has another session by another policy",
        {
          $0.cache = .encryptedFile; $0.processes = 2
        }
      ) {
        $0.signIn($0.alice, on: $0.app(1), policy: 0)
        $0.call(.token(person: $0.alice.id, policy: nil, force: false), on: $0.app(1))
        $0.signIn($0.alice, on: $0.app(1, process: 2), policy: 1)
        $0.world.damageRecord()
        $0.call(.token(person: $0.alice.id, policy: nil, force: false), on: $0.app(1))
      },
      Script(
        "ended-here-new-there", "a session ends here, its owner signs in there",
        {
          $0.cache = .shared; $0.connectors = 2
        }
      ) {
        $0.signIn($0.bob, on: $0.app(1), policy: 1)
        $0.world.tenant.revokeGrants(of: $0.bob)
        $0.world.watch.end(grantsOf: $0.bob.id, "revoked")
        $0.pass(7200)
        $0.call($0.token, on: $0.app(1))
        $0.signIn($0.bob, on: $0.app(2), policy: 0)
        $0.call(.token(person: $0.bob.id, policy: nil, force: false), on: $0.app(1))
      },
      Script("claims-of-policy", "claims of the policy that was asked for", { _ in }) {
        $0.signIn($0.alice, on: $0.app(1), policy: 0)
        $0.signIn($0.alice, on: $0.app(1), policy: 1)
        $0.call(.claims($0.world.policies[0]), on: $0.app(1))
      },
      Script("claim-taken-away", "a claim that the server took away", { _ in }) {
        $0.signIn($0.alice, on: $0.app(1))
        $0.world.changeClaims(of: $0.alice, takesAway: true)
        $0.call($0.freshToken, on: $0.app(1))
      },
      Script("own-reset", "a new password ends the older sessions", { _ in }) {
        $0.signIn($0.alice, on: $0.app(1))
        guard let policy = $0.world.settings.policies.policy(of: .passwordReset) else { return }
        var plan = $0.plan($0.alice)
        plan.newPassword = "Not-A-Secret-9"
        $0.world.wait($0.world.start(.resetPassword(policy), on: $0.app(1), plan: plan))
        $0.world.expectsExpired(by: $0.call(.session, on: $0.app(1)))
      },
      Script("young-token-refused", "a token that a refresh has just brought is refused", { _ in }) {
        $0.signIn($0.alice, on: $0.app(1))
        $0.pass(10)
        $0.call($0.freshToken, on: $0.app(1))
        $0.world.watch.refusedTokens.formUnion($0.world.watch.ofAccessToken.keys)
        $0.call(.add(title: "once"), on: $0.app(1))
      },
      Script("many-people", "a sign-in reads its own records only", { $0.people = 3 }) {
        $0.signIn($0.world.people[2], on: $0.app(1))
        $0.signIn($0.bob, on: $0.app(1))
        $0.signIn($0.alice, on: $0.app(1))
      },
      Script("close-during-post", "a connector is closed while a task is added", { $0.distance = 400 }) {
        $0.signIn($0.alice, on: $0.app(1))
        let app = $0.app(1)
        let add = $0.start(.add(title: "closing"), on: app)
        $0.jitter(900)
        try $0.world.closeTransport(of: app)
        $0.world.wait(add)
      },
      Script("gateway-then-refused", "a change with an unknown outcome, then no token", { _ in }) {
        $0.signIn($0.alice, on: $0.app(1))
        $0.call(.add(title: "doomed"), on: $0.app(1))
        $0.world.tenant.revokeGrants(of: $0.alice)
        $0.world.watch.end(grantsOf: $0.alice.id, "revoked")
        $0.world.refusesAfterGateway()
        guard let task = $0.world.tasks.first else { return }
        $0.call(.delete(task.item, owner: task.owner), on: $0.app(1))
      },
      Script(
        "killed-process-shared", "a holder of the lock is killed",
        {
          $0.cache = .shared; $0.processes = 2; $0.distance = 400
        }
      ) {
        $0.signIn($0.alice, on: $0.app(1))
        $0.pass(7200)
        let other = $0.start($0.token, on: $0.app(1, process: 2))
        $0.jitter(300)
        try $0.world.restart($0.world.processes[0])
        $0.world.wait(other, $0.start($0.token, on: $0.app(1)))
      },
      Script(
        "ended-by-another-process", "a session ends in one process, the other reads it",
        {
          $0.cache = .file; $0.processes = 2
        }
      ) {
        $0.signIn($0.alice, on: $0.app(1))
        $0.call(.session, on: $0.app(1, process: 2))
        $0.world.tenant.revokeGrants(of: $0.alice)
        $0.world.watch.end(grantsOf: $0.alice.id, "revoked")
        $0.pass(7200)
        $0.call($0.token, on: $0.app(1))
        $0.call(.session, on: $0.app(1, process: 2))
      },
      Script(
        "two-processes-file", "two processes refresh at once over files",
        {
          $0.cache = .file; $0.processes = 2
        }
      ) {
        $0.signIn($0.alice, on: $0.app(1))
        $0.pass(7200)
        let one = $0.start($0.token, on: $0.app(1))
        $0.jitter(60)
        $0.world.wait(one, $0.start($0.token, on: $0.app(1, process: 2)))
      },
    ]
  }

  extension World {
    /// Judges that a session that the provider has ended is known to have ended.
    func expectsExpired(by call: Call) {
      guard case .success(.session(let state)) = call.result else { return }
      ledger.tested(.sessionIsTrue)
      if case .signedIn = state {
        ledger.fault("I6 session says signedIn after the own password reset ended it", call.name)
      }
    }

    /// The next change gets through and its answer is a gateway's 502; then the API refuses all tokens.
    func refusesAfterGateway() {
      nextFault = (
        fits: { [weak self] request in
          guard request.method == .delete else { return false }
          self?.watch.refusesNext = true
          return true
        }, fault: .gateway
      )
    }
  }
#endif
