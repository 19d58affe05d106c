import B2CConnector
import B2CTestKit

extension Script {
  /// Each pair of operations, by two connectors over each kind of cache, the second at any moment of the first.
  static let pairs: [Script] = CacheKind.allCases.filter { $0 != .sealed }.flatMap { kind in
    Operation.allCases.flatMap { first in
      Operation.allCases.map { second in
        Script(
          "pair-\(first.rawValue)-\(second.rawValue)-\(kind)", "\(first.rawValue) while \(second.rawValue)",
          Shape(cache: kind, connectors: 2, slowness: 2000, distance: 100)
        ) { stage in
          stage.signIn(stage.alice, on: stage.app(1))
          stage.call(stage.token, on: stage.app(2))
          // Half of the schedules begin with an access token that has expired.
          if machine.draw.happens(500) { stage.pass(7200) }
          let one = first.start(stage, stage.app(1))
          stage.jitter(300)
          stage.world.wait(one, second.start(stage, stage.app(2)))
          stage.call(.add(title: "after"), on: stage.app(1))
        }
      }
    }
  }
}

/// What one connector does while another does something else.
private enum Operation: String, CaseIterable, Sendable {
  case token, refresh, signIn, otherSignIn, signOut, signOutOne, add, refusedAdd, editProfile, cancelledRefresh

  func start(_ stage: Stage, _ app: App) -> Call {
    switch self {
    case .token: return stage.start(stage.token, on: app)
    case .refresh: return stage.start(stage.freshToken, on: app)
    case .signIn: return stage.startSignIn(stage.alice, on: app)
    case .otherSignIn: return stage.startSignIn(stage.bob, on: app)
    case .signOut: return stage.start(.signOutAll(), on: app)
    case .signOutOne: return stage.start(.signOut(person: stage.alice.id), on: app)
    case .add: return stage.start(.add(title: "of-\(app.number)"), on: app)
    case .refusedAdd:
      stage.world.watch.refusedTokens.formUnion(stage.world.watch.ofAccessToken.keys)
      return stage.start(.add(title: "refused-\(app.number)"), on: app)
    case .editProfile:
      return stage.startEdit(of: stage.alice, "New-\(app.number)", on: app) ?? stage.start(.session, on: app)
    case .cancelledRefresh:
      let call = stage.start(stage.freshToken, on: app)
      stage.jitter(100)
      stage.world.cancel(call)
      return call
    }
  }
}
