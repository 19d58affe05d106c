import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Claims that are there and say nothing: they count as missing.
@Suite("Ids that tell nobody apart", .hangLimit)
struct ConnectorIdentityTests {
  typealias Change = @Sendable (inout [String: JSONValue]) -> Void

  static let useless: [JSONValue] = [
    "", " ", "\t\r\n", "\u{A0}\u{2003}", "\u{200B}\u{FEFF}", "\u{0}", "00000000-0000-0000-0000-000000000000",
    "{00000000-0000-0000-0000-000000000000}", " 00000000-0000-0000-0000-000000000000 ",
    "00000000000000000000000000000000", "(00000000-0000-0000-0000-000000000000)", "0", 0, 7, .null, true, ["one"],
    ["id": "one"],
  ]

  private static let placeholder: JSONValue = "Not supported currently. Use oid claim."

  /// Signs Alice and then Bob in, who must be two users.
  private func twoUsers(_ shape: LocalTenant.Shape, _ change: @escaping Change) async throws -> [UserInfo] {
    let scene = Scene(shape: shape) { $0.changeIDTokenClaims = change }
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    let alice = try await connector.signIn().user
    presenter.clearCookies()
    presenter.follow(.signIn(.bob))
    let bob = try await connector.signIn().user
    #expect(alice.id != bob.id)
    #expect(try await connector.users().count == 2)
    #expect(try await connector.user(id: alice.id)?.name == LocalUser.alice.displayName)
    return [alice, bob]
  }

  /// Signs in, which must fail, and returns the error.
  private func refusal(_ shape: LocalTenant.Shape, _ change: @escaping Change) async throws -> ConnectorError {
    let connector = try Scene(shape: shape) { $0.changeIDTokenClaims = change }.connector()
    let error = try await #require(throws: ConnectorError.self) { try await connector.signIn() }
    #expect(error.code == .invalidResponse)
    #expect(try await connector.users().isEmpty)
    return error
  }

  @Test(
    "Users whose object IDs tell nobody apart are two users", arguments: useless,
    [.b2c, .entra, .ciam] as [LocalTenant.Shape])
  func objectID(_ value: JSONValue, _ shape: LocalTenant.Shape) async throws {
    #expect(try await twoUsers(shape) { $0["oid"] = value }.allSatisfy { $0.objectID == nil })
  }

  @Test("A tenant ID that tells nothing counts as missing", arguments: useless)
  func tenantID(_ value: JSONValue) async throws {
    let plain = try await twoUsers(.b2c) { $0["tid"] = nil }
    let users = try await twoUsers(.b2c) { $0["tid"] = value }
    #expect(users.map(\.id) == plain.map(\.id) && users.allSatisfy { $0.tenantID == nil })
  }

  @Test(
    "If the placeholder names such an object ID, the sign-in fails and names the claim to add", arguments: useless,
    [.b2c, .entra, .openIDConnect] as [LocalTenant.Shape])
  func placeholder(_ value: JSONValue, _ shape: LocalTenant.Shape) async throws {
    let advice = try await refusal(shape) { ($0["sub"], $0["oid"]) = (Self.placeholder, value) }.recoverySuggestion
    #expect(advice?.contains("User's Object ID") == true)
    if shape == .b2c { #expect(advice == "Add the claim User's Object ID to the user flow.") }
  }

  @Test(
    "A subject that tells nobody apart is refused", arguments: useless.filter { $0 != "0" },
    [.b2c, .openIDConnect] as [LocalTenant.Shape])
  func subject(_ value: JSONValue, _ shape: LocalTenant.Shape) async throws {
    let error = try await refusal(shape) { ($0["sub"], $0["oid"]) = (value, nil) }
    #expect(error.message.contains("it has no sub"))
    #expect(error.recoverySuggestion?.contains("the claim sub") == true)
  }

  @Test("A subject is what the provider sends", arguments: ["0", "-", "000", " x", "{1}", "0a"])
  func oddSubject(_ text: String) async throws {
    let scene = Scene(shape: .openIDConnect) { $0.changeIDTokenClaims = { $0["sub"] = .string(text) } }
    let user = try await scene.connector().signIn().user
    #expect(user.subject == text)
    #expect(user.id == scene.tenant.issuer + "#" + text.replacing(" ", with: "%20"))
  }

  @Test(
    "If every subject is the placeholder, the object ID tells users apart, at any provider",
    arguments: [LocalTenant.Shape.b2c, .openIDConnect])
  func placeholderAtAnyProvider(_ shape: LocalTenant.Shape) async throws {
    _ = try await twoUsers(shape) {
      $0["sub"] = Self.placeholder
      $0["oid"] = $0["name"] == .string(LocalUser.alice.displayName) ? "one" : "two"
    }
  }
}
