import B2CConnector
import B2CTestKit
import TestSupport
import Testing

/// Which scopes a refresh names (RFC 6749 section 6: none beyond those granted).
@Suite("The scopes of a refresh", .hangLimit)
struct RefreshScopeTests {
  /// The scopes of a refresh after a sign-in whose answer names others than those that were asked for.
  private func refreshedScopes(
    _ shape: LocalTenant.Shape, granting change: @escaping @Sendable ([String]) -> [String] = { $0 }
  ) async throws -> [String]? {
    let scene = Scene(shape: shape) { behavior in
      behavior.changeTokenAnswer = { answer in
        guard let scope = answer["scope"]?.string else { return }
        answer["scope"] = .string(change(scope.split(separator: " ").map(String.init)).joined(separator: " "))
      }
    }
    let connector = try scene.connector()
    try await connector.signIn()
    // The second time the scopes of the first refresh are the granted ones.
    for _ in 0..<2 { _ = try await connector.accessToken(forceRefresh: true) }
    let forms = scene.transport.tokenForms.filter { $0["grant_type"] == "refresh_token" }
    #expect(forms[0]["scope"] == forms[1]["scope"])
    return forms[0]["scope"]?.split(separator: " ").map(String.init)
  }

  private static let scopes = LocalTenant(shape: .openIDConnect).apiScopes

  static let grants: [(String, @Sendable ([String]) -> [String], expected: [String])] = [
    ("what was granted is named again", { $0 }, ["openid", "offline_access"] + scopes),
    (
      "what was not granted is not named",
      { $0.filter { !["offline_access", scopes[1]].contains($0) } }, ["openid", scopes[0]]
    ),
    (
      "what was granted in another case is named as the caller wrote it",
      { $0.map { $0.uppercased() } }, ["openid", "offline_access"] + scopes
    ),
  ]

  @Test("A refresh at a generic provider names what was granted", arguments: grants.indices)
  func granted(_ index: Int) async throws {
    let (name, change, expected) = Self.grants[index]
    #expect(try await refreshedScopes(.openIDConnect, granting: change) == expected, "\(name)")
  }

  static let aliases: [(String, @Sendable ([String]) -> [String])] = [
    ("all by other names", { $0.map { $0.contains("/") ? "api:" + ($0.split(separator: "/").last ?? "") : $0 } }),
    ("one by another name", { $0.map { $0.hasSuffix("write") ? "api:write" : $0 } }),
    ("no API scope at all", { $0.filter { !$0.contains("/") } }),
  ]

  @Test("Where the granted scopes have other names, none is named: that asks for the same", arguments: aliases.indices)
  func aliased(_ index: Int) async throws {
    let (name, change) = Self.aliases[index]
    #expect(try await refreshedScopes(.openIDConnect, granting: change) == nil, "\(name)")
  }

  @Test("An answer without a scope to a refresh without one keeps what was granted")
  func keepsGranted() async throws {
    let scene = Scene(shape: .openIDConnect) {
      $0.changeTokenAnswer = { $0["scope"] = "openid offline_access api:tasks" }
    }
    let connector = try scene.connector()
    try await connector.signIn()
    scene.tenant.behavior.changeTokenAnswer = { $0["scope"] = nil }
    for _ in 0..<2 {
      let token = try await connector.accessToken(forceRefresh: true)
      #expect(token.scopes == ["openid", "offline_access", "api:tasks"])
    }
    #expect(scene.transport.tokenForms.suffix(2).allSatisfy { $0["scope"] == nil })
  }

  @Test("Microsoft's services are told the whole list", arguments: [LocalTenant.Shape.b2c, .entra, .ciam])
  func microsoft(shape: LocalTenant.Shape) async throws {
    let scopes = try await refreshedScopes(shape) { $0.filter { $0 != "offline_access" } }
    #expect(scopes == ["openid", "offline_access"] + LocalTenant(shape: shape).apiScopes)
  }
}
