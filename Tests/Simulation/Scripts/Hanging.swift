import B2CConnector
import B2CTestKit
import Foundation
import FoundationNetworking

extension Script {
  /// Parts of the app that break their contract: transports that never return, and transports and presenters that throw
  /// `CancellationError` though nobody has cancelled.
  static let hanging: [Script] =
    [LocalTenant.Shape.b2c, .entra, .openIDConnect].flatMap(documents(at:)) + refreshes + cancellations

  /// A document of the provider never comes during a sign-in.
  private static func documents(at provider: LocalTenant.Shape) -> [Script] {
    [(name: "metadata", end: ["/openid-configuration"]), (name: "keys", end: ["/keys", "/jwks"])].map { document in
      Script(
        "\(document.name)-never-come-\(provider)",
        "a sign-in whose transport never returns with the \(document.name)", Shape(provider: provider)
      ) {
        $0.world.nextFault = (fits: $0.ends(with: document.end), fault: .never)
        let first = $0.startSignIn($0.alice, on: $0.app(1))
        // A second one that joins the request may fail with it.
        if machine.draw.happens(500) {
          $0.jitter(20_000)
          $0.world.wait($0.startSignIn($0.bob, on: $0.app(1)))
        }
        $0.world.wait(first)
        $0.jitter(60_000)
        $0.world.expectsSuccess($0.signIn($0.bob, on: $0.app(1)))
        $0.call(.add(title: "of-bob"), on: $0.app(1))
      }
    }
  }

  /// The metadata, which a refresh at a plain issuer needs after a launch, never come.
  private static let refreshes: [Script] = [
    Script(
      "metadata-never-come-at-refresh", "a refresh whose transport never returns with the metadata",
      Shape(connectors: 2, provider: .openIDConnect)
    ) {
      $0.signInAlice(7200)
      try $0.world.restart($0.world.processes[0])
      $0.world.nextFault = (fits: $0.ends(with: ["/openid-configuration"]), fault: .never)
      let (first, second) = ($0.start($0.token, on: $0.app(1)), $0.start($0.token, on: $0.app(2)))
      $0.world.wait(first, second)
      $0.jitter(60_000)
      for number in 1...2 { $0.world.expectsSuccess($0.call($0.token, on: $0.app(number))) }
    }
  ]

  private static let cancellations: [Script] = [
    Script("transport-cancels-refresh", "the transport ends a refresh as if it were cancelled", Shape(connectors: 2)) {
      $0.signInAlice(7200)
      $0.world.nextFault = (fits: $0.ends(with: ["/token"]), fault: .cancels)
      let first = $0.start($0.token, on: $0.app(1))
      $0.jitter(100)
      $0.world.wait(first, $0.start(.list, on: $0.app(2)), $0.start($0.token, on: $0.app(1)))
      $0.pass(60)
      $0.world.expectsSuccess($0.call($0.token, on: $0.app(2)))
    },
    Script("transport-cancels-calls", "the transport ends calls of the task API as if they were cancelled") {
      $0.signIn($0.alice, on: $0.app(1))
      for fault in [Weather.Fault.cancels, .cancelsLate] {
        $0.world.nextFault = (fits: { $0.url?.path.hasSuffix("/token") == false }, fault: fault)
        $0.call(.add(title: "task-\(fault.rawValue)"), on: $0.app(1))
        $0.world.nextFault = (fits: { $0.url?.path.hasSuffix("/token") == false }, fault: fault)
        $0.call(.list, on: $0.app(1))
      }
    },
    Script("transport-cancels-sign-in", "the transport ends a request of a sign-in as if it were cancelled") {
      for end in ["/openid-configuration", "/keys", "/token"] {
        $0.world.nextFault = (fits: $0.ends(with: [end]), fault: machine.draw.one(of: [.cancels, .cancelsLate]))
        $0.signIn($0.alice, on: $0.app(1))
        try $0.world.restart($0.world.processes[0])
      }
      $0.world.expectsSuccess($0.signIn($0.alice, on: $0.app(1)))
    },
    Script("page-cancels-itself", "the presenter ends a sign-in as if it were cancelled") {
      var plan = $0.plan($0.alice)
      plan.outcome = .breaks
      $0.world.wait($0.world.start(.signIn(), on: $0.app(1), plan: plan))
      $0.world.expectsSuccess($0.signIn($0.alice, on: $0.app(1)))
    },
  ]
}

extension Stage {
  /// Whether the path of a request has one of some ends.
  func ends(with ends: [String]) -> @Sendable (URLRequest) -> Bool {
    { request in ends.contains { request.url?.path.hasSuffix($0) == true } }
  }
}
