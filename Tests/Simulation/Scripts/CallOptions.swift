import B2CConnector
import B2CTestKit

extension Script {
  /// What the options of connectors and calls promise.
  static let options: [Script] = [
    Script("refresh-refused", "the user says no before a refresh", Shape(asks: true)) {
      $0.signIn($0.alice, on: $0.app(1))
      // Half of the schedules have a token that lasts for another half minute.
      $0.pass(machine.draw.one(of: [7200, 3570]))
      $0.world.unwillingness = 1000
      for _ in 0..<3 {
        $0.call(machine.draw.one(of: [$0.token, .list, $0.freshToken]), on: $0.app(1))
        $0.jitter(20_000)
      }
      $0.world.unwillingness = 0
      $0.pass(60)
      $0.world.expectsSuccess($0.call($0.token, on: $0.app(1)))
    },
    Script(
      "claims-beside-refresh", "a token with claims is wanted while a refresh is under way", Shape(connectors: 2)
    ) {
      $0.signInAlice(7200)
      let refresh = $0.start($0.token, on: $0.app(1))
      $0.jitter(60)
      $0.world.wait($0.start(.token(person: nil, claims: true), on: $0.app(2)), refresh)
      $0.call($0.token, on: $0.app(1))
    },
    Script("another-than-named", "a sign-in names a user, and another one signs in") {
      $0.signIn($0.alice, on: $0.app(1))
      for inTwoCalls in [false, true] {
        let action = Action.signIn(user: $0.alice.id, inTwoCalls: inTwoCalls)
        $0.world.wait($0.world.start(action, on: $0.app(1), plan: $0.plan($0.bob)))
        $0.world.expectsCurrent($0.alice, $0.call(.session, on: $0.app(1)))
        $0.world.wait($0.world.start(action, on: $0.app(1), plan: $0.plan($0.alice)))
      }
    },
    Script("throttled-refresh", "the provider wants no further refresh for a while") {
      $0.signIn($0.alice, on: $0.app(1))
      // The token lasts for minutes, and is renewed by now.
      $0.pass(3350)
      $0.world.nextFault = (fits: $0.ends(with: ["/token"]), fault: .throttled)
      for number in 0..<5 {
        $0.call(number.isMultiple(of: 2) ? $0.token : .list, on: $0.app(1))
        $0.jitter(40_000)
      }
    },
  ]
}
