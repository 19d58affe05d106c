import B2CConnector
import B2CTestKit
import Foundation

extension Script {
  /// What two connectors over one cache do to each other.
  static let sharing: [Script] = CacheKind.allCases.flatMap { kind in
    [
      Script("two-refresh-\(kind)", Shape(cache: kind, connectors: 2)) {
        $0.signInAlice(7200)
        let first = $0.start(.token())
        $0.jitter(60)
        $0.world.wait(first, $0.start(.token(), on: 2))
      },
      Script("sign-out-during-refresh-\(kind)", Shape(cache: kind, connectors: 2, slowness: 2000)) {
        $0.signIn($0.alice)
        $0.call(.token(), on: 2)
        $0.pass(7200)
        let refresh = $0.start(.token(), on: 2)
        $0.jitter(60)
        $0.world.wait($0.start(.signOut()), refresh)
      },
      // A token that waits for a full disk, and another connector.
      Script("token-waits-\(kind)", Shape(cache: kind, connectors: 2)) {
        $0.fillDisk()
        $0.call(.token(), on: 2)
        $0.heal()
        $0.jitter(100)
        if machine.draw.happens(500) { $0.call(.close, on: 2) }
        $0.call(.token(force: true))
      },
    ]
  }

  /// What a store in trouble does.
  static let stores: [Script] = CacheKind.allCases.filter(\.isLasting).flatMap { kind in
    [
      Script("sign-in-on-full-disk-\(kind)", Shape(cache: kind)) {
        $0.fillDisk()
        $0.call(.token())
        $0.signIn($0.alice)
        $0.call(.token(force: true))
        $0.heal()
      },
      Script("sign-out-on-full-disk-\(kind)", Shape(cache: kind)) {
        $0.fillDisk()
        $0.call(.token())
        $0.world.store.trouble.isUnreachable = true
        $0.call(.signOut())
        $0.heal()
        $0.call(.token(force: true))
      },
    ]
  }

  /// What two people and a server do.
  static let people: [Script] = [
    // A token is refused while another person signs in.
    Script("refused-then-another", Shape(distance: 400)) {
      $0.signIn($0.alice)
      $0.world.watch.refuseTokens()
      $0.world.revokeGrants(of: $0.alice)
      let add = $0.start(.add(title: "of-alice"))
      $0.jitter(300)
      $0.world.wait($0.startSignIn($0.bob), add)
    },
    Script("signed-out-then-another", Shape(distance: 2000)) {
      $0.signIn($0.alice)
      $0.world.watch.refuseTokens()
      let add = $0.start(.add(title: "of-alice"))
      $0.jitter(500)
      $0.call(.signOut())
      $0.world.wait($0.startSignIn($0.bob), add)
    },
    // A token that a refresh has just brought is refused.
    Script("young-token-refused") {
      $0.signInAlice(10)
      $0.call(.token(force: true))
      $0.world.watch.refuseTokens()
      $0.call(.add(title: "once"))
    },
    Script("close-during-post", Shape(distance: 400)) {
      $0.signIn($0.alice)
      let add = $0.start(.add(title: "closing"))
      $0.jitter(900)
      try $0.world.closeTransport(of: add.app)
      $0.world.wait(add)
    },
    Script("two-processes-file", Shape(cache: .file, processes: 2)) {
      $0.signInAlice(7200)
      let one = $0.start(.token())
      $0.jitter(60)
      $0.world.wait(one, $0.start(.token(), process: 2))
    },
  ]
}
