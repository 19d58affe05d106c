import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Claims that are there and say nothing: they count as missing.
@Suite("Ids that tell nobody apart", .hangLimit)
struct ConnectorIdentityTests {
  static let useless: [JSONValue] = [
    "", " ", "\t\r\n", "\u{A0}\u{2003}", "\u{200B}\u{FEFF}", "\u{0}", "00000000-0000-0000-0000-000000000000",
    "{00000000-0000-0000-0000-000000000000}", " 00000000-0000-0000-0000-000000000000 ",
    "00000000000000000000000000000000", "(00000000-0000-0000-0000-000000000000)", "0", 0, 7, .null, true, ["one"],
    ["id": "one"],
  ]

  private static let placeholder: JSONValue = "Not supported currently. Use oid claim."

  /// A connector whose sign-ins are by Alice, then by Bob.
  private func scene(
    _ shape: LocalTenant.Shape, _ change: @escaping @Sendable (inout [String: JSONValue]) -> Void
  ) throws -> (Connector, ScriptedPresenter) {
    let scene = Scene(shape: shape) { $0.changeIDTokenClaims = change }
    let presenter = scene.script(.signIn(.alice))
    return (try scene.connector(presenter: presenter), presenter)
  }

  private func twoUsers(
    _ shape: LocalTenant.Shape, _ change: @escaping @Sendable (inout [String: JSONValue]) -> Void
  ) async throws -> [UserInfo] {
    let (connector, presenter) = try scene(shape, change)
    let alice = try await connector.signIn().user
    presenter.clearCookies()
    presenter.follow(.signIn(.bob))
    let bob = try await connector.signIn().user
    #expect(alice.id != bob.id)
    #expect(try await connector.users().count == 2)
    #expect(try await connector.user(id: alice.id)?.name == LocalUser.alice.displayName)
    return [alice, bob]
  }

  @Test("Users whose object IDs tell nobody apart are two users", arguments: useless)
  func objectID(_ value: JSONValue) async throws {
    for shape in [LocalTenant.Shape.b2c, .entra, .ciam] {
      let users = try await twoUsers(shape) { $0["oid"] = value }
      #expect(users.allSatisfy { $0.objectID == nil })
    }
  }

  @Test("A tenant ID that tells nothing counts as missing", arguments: useless)
  func tenantID(_ value: JSONValue) async throws {
    let plain = try await twoUsers(.b2c) { $0["tid"] = nil }
    let users = try await twoUsers(.b2c) { $0["tid"] = value }
    #expect(users.map(\.id) == plain.map(\.id) && users.allSatisfy { $0.tenantID == nil })
  }

  @Test("If the placeholder names such an object ID, the sign-in fails and names the claim to add", arguments: useless)
  func placeholder(_ value: JSONValue) async throws {
    for shape in [LocalTenant.Shape.b2c, .entra, .openIDConnect] {
      let (connector, _) = try scene(shape) {
        $0["sub"] = Self.placeholder
        $0["oid"] = value
      }
      let error = try await #require(throws: ConnectorError.self) { try await connector.signIn() }
      #expect(error.code == .invalidResponse)
      #expect(error.recoverySuggestion?.contains("User's Object ID") == true)
      if shape == .b2c { #expect(error.recoverySuggestion == "Add the claim User's Object ID to the user flow.") }
      #expect(try await connector.users().isEmpty)
    }
  }

  @Test("A subject that tells nobody apart is refused", arguments: useless.filter { $0 != "0" })
  func subject(_ value: JSONValue) async throws {
    for shape in [LocalTenant.Shape.b2c, .openIDConnect] {
      let (connector, _) = try scene(shape) {
        $0["sub"] = value
        $0["oid"] = nil
      }
      let error = try await #require(throws: ConnectorError.self) { try await connector.signIn() }
      #expect(error.code == .invalidResponse && error.message.contains("it has no sub"))
      #expect(error.recoverySuggestion?.contains("the claim sub") == true)
      #expect(try await connector.users().isEmpty)
    }
  }

  @Test("A subject is what the provider sends", arguments: ["0", "-", "000", " x", "{1}", "0a"])
  func oddSubject(_ text: String) async throws {
    let (connector, _) = try scene(.openIDConnect) { $0["sub"] = .string(text) }
    let user = try await connector.signIn().user
    #expect(user.subject == text)
    let issuer = try #require(user.claims["iss"]?.string)
    #expect(user.id == issuer + "#" + text.replacing(" ", with: "%20"))
  }

  @Test("Where every subject is the placeholder, the object ID tells users apart, at any provider")
  func placeholderAtAnyProvider() async throws {
    let ids: [JSONValue: JSONValue] = [
      .string(LocalUser.alice.displayName): "one", .string(LocalUser.bob.displayName): "two",
    ]
    for shape in [LocalTenant.Shape.b2c, .openIDConnect] {
      _ = try await twoUsers(shape) {
        $0["sub"] = Self.placeholder
        $0["oid"] = ids[$0["name"] ?? .null]
      }
    }
  }
}
