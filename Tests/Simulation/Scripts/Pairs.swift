import B2CConnector
import B2CTestKit

extension Script {
  /// Each pair of operations, by two connectors over each kind of cache, the second at any moment of the first.
  static let pairs: [Script] = CacheKind.allCases.filter { $0 != .sealed }.flatMap { kind in
    Operation.allCases.flatMap { first in
      Operation.allCases.map { second in
        Script(
          "pair-\(first.rawValue)-\(second.rawValue)-\(kind)",
          Shape(cache: kind, connectors: 2, slowness: 2000, distance: 100)
        ) {
          $0.signIn($0.alice)
          $0.call(.token(), on: 2)
          // Half of the schedules begin with an access token that has expired.
          if machine.draw.happens(500) { $0.pass(7200) }
          let one = first.start($0, on: 1)
          $0.jitter(300)
          $0.world.wait(one, second.start($0, on: 2))
          $0.call(.add(title: "after"))
        }
      }
    }
  }
}

/// What one connector does while another does something else.
enum Operation: String, CaseIterable, Sendable {
  case token, refresh, signIn, otherSignIn, signOut, signOutOne, add, refusedAdd, editProfile, cancelledRefresh

  func start(_ stage: Stage, on number: Int = 1) -> Call {
    switch self {
    case .token: return stage.start(.token(), on: number)
    case .refresh: return stage.start(.token(force: true), on: number)
    case .signIn: return stage.startSignIn(stage.alice, on: number)
    case .otherSignIn: return stage.startSignIn(stage.bob, on: number)
    case .signOut: return stage.start(.signOut(), on: number)
    case .signOutOne: return stage.start(.signOut(person: stage.alice.id), on: number)
    case .add: return stage.start(.add(title: "of-\(number)"), on: number)
    case .refusedAdd:
      stage.world.watch.refuseTokens()
      return stage.start(.add(title: "refused-\(number)"), on: number)
    case .editProfile: return stage.startEdit(of: stage.alice, "New-\(number)", on: number)
    case .cancelledRefresh:
      let call = stage.start(.token(force: true), on: number)
      stage.jitter(100)
      stage.world.cancel(call)
      return call
    }
  }
}
