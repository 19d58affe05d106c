import B2CConnector
import B2CTestKit

/// A connector of another authority, or of another client of the same one, over the cache of a process.
///
/// It has a user of its own, a network that is well and a quick page. It signs nobody out.
final class Neighbour: @unchecked Sendable {
  private static let dave = LocalUser(
    id: "dddddddd-0000-4000-8000-000000000004", email: "dave@example.com", password: "Not-A-Secret-4",
    displayName: "Dave Example")

  static func tenant() -> LocalTenant {
    machine.draw.happens(500)
      ? LocalTenant(clientID: "99999999-9999-4999-8999-999999999999", users: [dave])
      : LocalTenant(tenantName: "fabrikam", users: [dave])
  }

  private let world: World
  private let connector: Connector

  init(_ process: AppProcess) throws {
    world = process.world
    let tenant = world.neighbours
    var environment = Connector.Environment()
    environment.cache = process.cache
    environment.transport = LocalNetwork(tenant)
    environment.presenter = ScriptedPresenter(transport: LocalNetwork(tenant), .signIn(Self.dave))
    environment.clock = ProcessClock(process: process)
    environment.now = { [world] in world.deviceNow }
    connector = try Connector(settings: tenant.settings(), environment: environment)
  }

  /// Makes a call, which runs beside everything else; what the store refuses is not judged.
  func act(_ draw: inout Draw) {
    let kind = draw.below(4)
    Task.detached { [connector, world] in
      var found: Set<String> = []
      switch kind {
      case 0: found = [try await connector.doPolicy(.signIn).id]
      case 1: found = [try await connector.accessToken().userID]
      case 2: found = Set(try await connector.users().map(\.id))
      default: if case .signedIn(let user) = try await connector.session { found = [user.id] }
      }
      world.ledger.tested(.neighbour)
      guard found.contains(where: { !$0.hasPrefix(Self.dave.id) }) else { return }
      world.ledger.fault("I2 a connector of another authority or client has what is not its own", "call \(kind)")
    }
  }
}
