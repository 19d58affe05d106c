import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The claims of the id_tokens of a sign-in and of the refresh after it; `nil` removes a claim.
struct RefreshRow: Sendable, CustomTestStringConvertible {
  typealias Claims = [String: JSONValue?]

  let testDescription: String
  let shape: LocalTenant.Shape
  let signIn: Claims
  /// Changes the claims of the refresh, which is done at the given second.
  let refresh: @Sendable (inout [String: JSONValue], Int64) -> Void

  init(_ name: String, at shape: LocalTenant.Shape = .b2c, after signIn: Claims = [:], _ refresh: Claims) {
    self.init(name, at: shape, after: signIn, by: { _ in refresh })
  }

  init(
    _ name: String, at shape: LocalTenant.Shape = .b2c, after signIn: Claims = [:],
    by refresh: @escaping @Sendable (Int64) -> Claims
  ) {
    (testDescription, self.shape, self.signIn) = ("\(shape): \(name)", shape, signIn)
    self.refresh = { $0.set(refresh($1)) }
  }
}

extension [String: JSONValue] {
  mutating func set(_ claims: RefreshRow.Claims) { for (name, value) in claims { self[name] = value } }
}

extension SignedInScene {
  /// Signs Alice in with these claims; her tokens have not expired.
  init(_ shape: LocalTenant.Shape, claims: RefreshRow.Claims = [:]) async throws {
    try await self.init(Scene(shape: shape) { $0.changeIDTokenClaims = { $0.set(claims) } }, after: 0)
  }

  /// Refreshes with an id_token that names the user `Renamed`, unless the change says otherwise.
  func refresh(
    after seconds: Int = 4_000, _ change: @escaping @Sendable (inout [String: JSONValue], Int64) -> Void
  ) async throws {
    await scene.clock.advance(by: .seconds(seconds))
    let now = Int64(scene.clock.date.timeIntervalSince1970)
    scene.tenant.behavior.changeIDTokenClaims = {
      $0["name"] = "Renamed"
      change(&$0, now)
    }
    _ = try await connector.accessToken(user: alice.user)
  }

  func refresh(_ claims: RefreshRow.Claims = [:]) async throws { try await refresh { new, _ in new.set(claims) } }

  /// The user as stored.
  var stored: UserInfo {
    get async throws { try require(try await connector.user(id: alice.user.id)) }
  }
}
