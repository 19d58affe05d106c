import B2CConnector
import B2CTestKit
import Foundation

extension Script {
  /// Parts of the app that break their contract: transports that never return, and transports and presenters that throw
  /// `CancellationError` though nobody has cancelled.
  static let hanging: [Script] =
    [LocalTenant.Shape.b2c, .entra, .openIDConnect].flatMap(documents(at:)) + refreshes + cancellations

  /// A document of the provider never comes during a sign-in.
  private static func documents(at provider: LocalTenant.Shape) -> [Script] {
    [("metadata", "/openid-configuration"), ("keys", provider == .openIDConnect ? "/jwks" : "/keys")].map { name, end in
      Script("\(name)-never-come-\(provider)", Shape(provider: provider)) {
        $0.fail(end, by: .never)
        let first = $0.startSignIn($0.alice)
        // A second one that joins the request may fail with it.
        if machine.draw.happens(500) {
          $0.jitter(20_000)
          $0.signIn($0.bob)
        }
        $0.world.wait(first)
        $0.jitter(60_000)
        $0.expectSuccess($0.signIn($0.bob))
        $0.call(.add(title: "of-bob"))
      }
    }
  }

  private static let refreshes: [Script] = [
    // A refresh at a plain issuer needs the metadata after a launch.
    Script("metadata-never-come-at-refresh", Shape(connectors: 2, provider: .openIDConnect)) {
      $0.signInAlice(7200)
      try $0.restart()
      $0.fail("/openid-configuration", by: .never)
      let (first, second) = ($0.start(.token()), $0.start(.token(), on: 2))
      $0.world.wait(first, second)
      $0.jitter(60_000)
      for number in 1...2 { $0.expectSuccess($0.call(.token(), on: number)) }
    }
  ]

  private static let cancellations: [Script] = [
    Script("transport-cancels-refresh", Shape(connectors: 2)) {
      $0.signInAlice(7200)
      $0.fail("/token", by: .cancels)
      let first = $0.start(.token())
      $0.jitter(100)
      $0.world.wait(first, $0.start(.list(), on: 2), $0.start(.token()))
      $0.pass(60)
      $0.expectSuccess($0.call(.token(), on: 2))
    },
    Script("transport-cancels-calls") {
      $0.signIn($0.alice)
      for fault in [Weather.Fault.cancels, .cancelsLate] {
        for action in [Action.add(title: "task-\(fault.rawValue)"), .list()] {
          $0.fail("/tasks", by: fault)
          $0.call(action)
        }
      }
    },
    Script("transport-cancels-sign-in") {
      for end in ["/openid-configuration", "/keys", "/token"] {
        $0.fail(end, by: machine.draw.one(of: [.cancels, .cancelsLate]))
        $0.signIn($0.alice)
        try $0.restart()
      }
      $0.expectSuccess($0.signIn($0.alice))
    },
    Script("page-cancels-itself") {
      $0.call(.signIn(), plan: $0.plan($0.alice, .breaks))
      $0.expectSuccess($0.signIn($0.alice))
    },
  ]
}
