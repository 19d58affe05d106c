import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// When `offline_access` is asked for.
@Suite("offline_access", .hangLimit)
struct OfflineAccessTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var shape = LocalTenant.Shape.openIDConnect
    var listed: [String]? = ["openid", "offline_access"]
    var named: [String] = []
    var prompt: String?
    let isAsked: Bool
    var sentPrompt: String?
  }

  static let cases: [Case] = [
    Case(testDescription: "B2C, whatever it lists", shape: .b2c, isAsked: true),
    Case(testDescription: "Entra ID, which lists nothing", shape: .entra, listed: nil, isAsked: true),
    Case(testDescription: "a provider that lists it", isAsked: true),
    Case(testDescription: "a provider that does not list it", listed: ["openid"], isAsked: false),
    Case(testDescription: "a provider that lists nothing", listed: nil, isAsked: false),
    Case(testDescription: "named by the developer", listed: ["openid"], named: ["offline_access"], isAsked: true),
    Case(testDescription: "another prompt, as always", prompt: "login", isAsked: true, sentPrompt: "login"),
  ]

  @Test(
    "It is asked for at Microsoft's services and where it is offered or named",
    arguments: cases)
  func asked(_ example: Case) async throws {
    let scene = Scene(shape: example.shape) { behavior in
      behavior.changeMetadata = { members in
        members["scopes_supported"] = example.listed.map { .array($0.map(JSONValue.string)) }
      }
    }
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(
      scene.settings { $0.scopes += example.named }, presenter: presenter)
    try await connector.signIn(options: SignInOptions(prompt: Prompt(rawValue: example.prompt ?? "")))
    _ = try? await connector.accessToken(forceRefresh: true)
    let page = query(of: try require(presenter.requests.first).url)
    let scopes = [page["scope"] ?? ""] + scene.transport.tokenForms.map { $0["scope"] ?? "" }
    #expect(scopes.map { $0.split(separator: " ").contains("offline_access") }.allSatisfy { $0 == example.isAsked })
    // `prompt=consent` would ask the user at every sign-in.
    #expect(page["prompt"] == example.sentPrompt)
  }
}
