import B2CConnector
import B2CTestKit
import TestSupport
import Testing

/// The scopes that a refresh names, which are none beyond the granted ones (RFC 6749 section 6).
@Suite("The scopes of a refresh", .hangLimit)
struct RefreshScopeTests {
  typealias Grant = @Sendable (String) -> String?

  /// Returns the scopes of a refresh after a sign-in whose response changes or leaves out each requested scope.
  private func refreshedScopes(_ shape: LocalTenant.Shape, granting change: @escaping Grant) async throws -> [String]? {
    let scene = Scene(shape: shape) {
      $0.changeTokenAnswer = { answer in
        guard let scope = answer["scope"]?.string else { return }
        let granted = scope.split(separator: " ").compactMap { change(String($0)) }
        answer["scope"] = .string(granted.joined(separator: " "))
      }
    }
    let connector = try await SignedInScene(scene, after: 0).connector
    // For the second refresh, the scopes of the first one are the granted ones.
    for _ in 0..<2 { _ = try await connector.accessToken(forceRefresh: true) }
    let named = scene.transport.tokenForms.suffix(2).map { $0["scope"] }
    #expect(named[0] == named[1])
    return named[0]?.split(separator: " ").map(String.init)
  }

  private static let scopes = LocalTenant(shape: .openIDConnect).apiScopes
  private static let all = ["openid", "offline_access"] + scopes

  static let grants: [(String, Grant, expected: [String]?)] = [
    ("granted scopes are named", { $0 }, all),
    ("others are not", { ["offline_access", scopes[1]].contains($0) ? nil : $0 }, ["openid", scopes[0]]),
    ("scopes granted in another case are named as the caller wrote them", { $0.uppercased() }, all),
    // If the granted scopes have other names, none is named, which asks for the same ones again.
    ("all other names", { $0.contains("/") ? "api:" + ($0.split(separator: "/").last ?? "") : $0 }, nil),
    ("one other name", { $0.hasSuffix("write") ? "api:write" : $0 }, nil),
    ("no scope of an API", { $0.contains("/") ? nil : $0 }, nil),
  ]

  @Test("A refresh names the granted scopes at other providers", arguments: grants.indices)
  func granted(_ index: Int) async throws {
    let (name, change, expected) = Self.grants[index]
    #expect(try await refreshedScopes(.openIDConnect, granting: change) == expected, "\(name)")
  }

  @Test("A refresh names all scopes at Microsoft's services", arguments: [LocalTenant.Shape.b2c, .entra, .ciam])
  func microsoft(shape: LocalTenant.Shape) async throws {
    let scopes = try await refreshedScopes(shape) { $0 == "offline_access" ? nil : $0 }
    #expect(scopes == ["openid", "offline_access"] + LocalTenant(shape: shape).apiScopes)
  }

  @Test(
    "A response without a scope keeps the granted ones and adds none, whether or not the refresh named some",
    arguments: ["openid offline_access api:tasks", "openid offline_access " + scopes[0]])
  func noScope(_ granted: String) async throws {
    let scene = Scene(shape: .openIDConnect) { $0.changeTokenAnswer = { $0["scope"] = .string(granted) } }
    let connector = try await SignedInScene(scene, after: 0).connector
    scene.tenant.behavior.changeTokenAnswer = { $0["scope"] = nil }
    for _ in 0..<2 {
      let token = try await connector.accessToken(forceRefresh: true)
      #expect(token.scopes == Set(granted.split(separator: " ").map(String.init)))
    }
    let namesScopes = !granted.contains("api:")
    #expect(scene.transport.tokenForms.suffix(2).allSatisfy { ($0["scope"] != nil) == namesScopes })
  }
}
