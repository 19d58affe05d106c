import B2CConnector
import B2CTestKit
import Foundation

extension Script {
  private static let known: [Script] =
    sharing + stores + people + directed + deaths + refusals + strangers + current + hanging + options

  /// The scripts of a name, or all of them; of the pairs only every fourth, if a quarter is named.
  static func named(_ name: String = "all", quarter: Int? = nil) -> [Script] {
    let some = pairs.enumerated().filter { pair in quarter.map { pair.offset % 4 == $0 } ?? true }.map(\.element)
    return (known + some).filter { name == "all" || $0.name.hasPrefix(name) }
  }

  /// What two connectors over one cache do to each other.
  private static let sharing: [Script] = CacheKind.allCases.flatMap { kind in
    [
      Script("two-refresh-\(kind)", "two connectors refresh at once", Shape(cache: kind, connectors: 2)) {
        $0.signInAlice(7200)
        let first = $0.start($0.token, on: $0.app(1))
        $0.jitter(60)
        $0.world.wait(first, $0.start($0.token, on: $0.app(2)))
      },
      Script(
        "sign-out-during-refresh-\(kind)", "a sign-out by one, a refresh by the other",
        Shape(cache: kind, connectors: 2, slowness: 2000)
      ) {
        $0.signIn($0.alice, on: $0.app(1))
        $0.call($0.token, on: $0.app(2))
        $0.pass(7200)
        let refresh = $0.start($0.token, on: $0.app(2))
        $0.jitter(60)
        $0.world.wait($0.start(.signOutAll(), on: $0.app(1)), refresh)
      },
      Script(
        "token-waits-\(kind)", "a token that waits for a full disk, and another connector",
        Shape(cache: kind, connectors: 2)
      ) {
        $0.fillDisk()
        $0.call($0.token, on: $0.app(2))
        $0.world.store.trouble = StoreTrouble()
        $0.jitter(100)
        if machine.draw.happens(500) { $0.call(.close, on: $0.app(2)) }
        $0.call($0.freshToken, on: $0.app(1))
      },
    ]
  }

  /// What a store in trouble does.
  private static let stores: [Script] = CacheKind.allCases.filter { $0 != .inMemory }.flatMap { kind in
    [
      Script("sign-in-on-full-disk-\(kind)", "a sign-in that the disk refuses", Shape(cache: kind)) {
        $0.fillDisk()
        $0.call($0.token, on: $0.app(1))
        $0.signIn($0.alice, on: $0.app(1))
        $0.call($0.freshToken, on: $0.app(1))
        $0.world.store.trouble = StoreTrouble()
      },
      Script("sign-out-on-full-disk-\(kind)", "a sign-out that the disk refuses", Shape(cache: kind)) {
        $0.fillDisk()
        $0.call($0.token, on: $0.app(1))
        $0.world.store.trouble.isUnreachable = true
        $0.call(.signOutAll(), on: $0.app(1))
        $0.world.store.trouble = StoreTrouble()
        $0.call($0.freshToken, on: $0.app(1))
      },
    ]
  }

  /// What two people, two policies and a server do.
  private static let people: [Script] = [
    Script("refused-then-another", "a token is refused while another person signs in", Shape(distance: 400)) {
      $0.signIn($0.alice, on: $0.app(1))
      $0.world.watch.refusedTokens.formUnion($0.world.watch.ofAccessToken.keys)
      $0.world.tenant.revokeGrants(of: $0.alice)
      $0.world.watch.end(grantsOf: $0.alice.id, "revoked")
      let add = $0.start(.add(title: "of-alice"), on: $0.app(1))
      $0.jitter(300)
      $0.world.wait($0.startSignIn($0.bob, on: $0.app(1)), add)
    },
    Script("signed-out-then-another", "a slow call, a sign-out, another person", Shape(distance: 2000)) {
      $0.signIn($0.alice, on: $0.app(1))
      $0.world.watch.refusedTokens.formUnion($0.world.watch.ofAccessToken.keys)
      let add = $0.start(.add(title: "of-alice"), on: $0.app(1))
      $0.jitter(500)
      $0.world.wait($0.start(.signOutAll(), on: $0.app(1)))
      $0.world.wait($0.startSignIn($0.bob, on: $0.app(1)), add)
    },
    Script("young-token-refused", "a token that a refresh has just brought is refused") {
      $0.signInAlice(10)
      $0.call($0.freshToken, on: $0.app(1))
      $0.world.watch.refusedTokens.formUnion($0.world.watch.ofAccessToken.keys)
      $0.call(.add(title: "once"), on: $0.app(1))
    },
    Script("close-during-post", "a connector is closed while a task is added", Shape(distance: 400)) {
      $0.signIn($0.alice, on: $0.app(1))
      let app = $0.app(1)
      let add = $0.start(.add(title: "closing"), on: app)
      $0.jitter(900)
      try $0.world.closeTransport(of: app)
      $0.world.wait(add)
    },
    Script("two-processes-file", "two processes refresh at once over files", Shape(cache: .file, processes: 2)) {
      $0.signInAlice(7200)
      let one = $0.start($0.token, on: $0.app(1))
      $0.jitter(60)
      $0.world.wait(one, $0.start($0.token, on: $0.app(1, process: 2)))
    },
  ]
}
