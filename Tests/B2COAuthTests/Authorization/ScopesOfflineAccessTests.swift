import B2CAuthority
import B2CCore
import B2COAuth
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// When `offline_access` is asked for.
@Suite("offline_access", .timeLimit(.minutes(10)))
struct ScopesOfflineAccessTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var shape = LocalTenant.Shape.openIDConnect
    var listed: [String]? = ["openid", "offline_access"]
    var named: [String] = []
    var access = OfflineAccess.automatic
    var prompt: String?
    let isAsked: Bool
    var sentPrompt: String?
  }

  static let cases: [Case] = [
    Case(testDescription: "B2C, whatever it lists", shape: .b2c, isAsked: true),
    Case(testDescription: "Entra ID, which lists nothing", shape: .entra, listed: nil, isAsked: true),
    Case(testDescription: "B2C, switched off", shape: .b2c, access: .never, isAsked: false),
    Case(testDescription: "a provider that lists it", isAsked: true),
    Case(testDescription: "a provider that does not list it", listed: ["openid"], isAsked: false),
    Case(testDescription: "a provider that lists nothing", listed: nil, isAsked: false),
    Case(testDescription: "named by the developer", listed: ["openid"], named: ["offline_access"], isAsked: true),
    Case(testDescription: "a provider that lists it, switched off", access: .never, isAsked: false),
    Case(testDescription: "named, but switched off", named: ["offline_access"], access: .never, isAsked: false),
    Case(testDescription: "with consent", access: .withConsent, isAsked: true, sentPrompt: "consent"),
    Case(
      testDescription: "with consent, though it is not listed", listed: nil, access: .withConsent, isAsked: true,
      sentPrompt: "consent"),
    Case(
      testDescription: "with consent, and a sign-in with another prompt", access: .withConsent, prompt: "login",
      isAsked: false, sentPrompt: "login"),
    Case(
      testDescription: "with consent, and a prompt that includes it", access: .withConsent, prompt: "login consent",
      isAsked: true, sentPrompt: "login consent"),
    Case(
      testDescription: "with consent, and named", named: ["offline_access"], access: .withConsent, prompt: "login",
      isAsked: true, sentPrompt: "login"),
    Case(testDescription: "another prompt, as always", prompt: "login", isAsked: true, sentPrompt: "login"),
  ]

  @Test(
    "It is asked for at Microsoft's services and where it is offered or named, and can be switched off",
    arguments: cases)
  func asked(_ example: Case) async throws {
    let fixture = Fixture(shape: example.shape) { behavior in
      behavior.changeMetadata = { members in
        members["scopes_supported"] = example.listed.map { .array($0.map(JSONValue.string)) }
      }
    }
    let presenter = fixture.script(.signIn(.alice))
    let client = try fixture.client(presenter: presenter, scopes: fixture.tenant.apiScopes + example.named) {
      $0.offlineAccess = example.access
    }
    try await client.signIn(prompt: Prompt(rawValue: example.prompt ?? ""))
    _ = try? await client.accessToken(options: TokenOptions(forceRefresh: true))
    let page = query(of: try require(presenter.requests.first).url)
    let scopes = [page["scope"] ?? ""] + fixture.transport.tokenForms.map { $0["scope"] ?? "" }
    #expect(scopes.map { $0.split(separator: " ").contains("offline_access") }.allSatisfy { $0 == example.isAsked })
    // Unless it is wanted, it would ask the user at every sign-in.
    #expect(page["prompt"] == example.sentPrompt)
  }

  struct Page: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var shape = LocalTenant.Shape.openIDConnect
    var access = OfflineAccess.automatic
    var named: [String] = []
    var prompt = Prompt.automatic
    let isNamed: Bool
  }

  static let pages: [Page] = [
    Page(testDescription: "added by the SDK", isNamed: true),
    Page(testDescription: "added by the SDK, with another prompt", prompt: .login, isNamed: true),
    Page(testDescription: "named by the developer", named: ["offline_access"], isNamed: true),
    Page(testDescription: "with consent, by the app", prompt: .consent, isNamed: false),
    Page(testDescription: "with consent, by the option", access: .withConsent, isNamed: false),
    Page(testDescription: "switched off", access: .never, isNamed: false),
    Page(testDescription: "Entra ID", shape: .entra, isNamed: false),
  ]

  @Test("The end of the waiting time at a page names it where it may be what the page refuses", arguments: pages)
  func timeOut(_ page: Page) async throws {
    let fixture = Fixture(shape: page.shape)
    let presenter = CannedPresenter { _ in
      throw OAuthError(.timedOut, "The page was not finished.", recoverySuggestion: "Compare clientId.")
    }
    let client = try fixture.client(presenter: presenter, scopes: fixture.tenant.apiScopes + page.named) {
      $0.offlineAccess = page.access
    }
    let error = try await #require(throws: OAuthError.self) { try await client.signIn(prompt: page.prompt) }
    let advice = try #require(error.recoverySuggestion)
    #expect(error.code == .timedOut && advice.hasPrefix("Compare clientId."))
    #expect(advice.contains("offline_access") == page.isNamed && advice.contains("offlineAccess") == page.isNamed)
  }

  @Test("A policy that leaves no session asks for no consent", arguments: [Policy.Kind.profileEdit, .passwordReset])
  func withoutSession(_ kind: Policy.Kind) async throws {
    let fixture = Fixture()
    let asked = Locked<URL?>(nil)
    let presenter = CannedPresenter { request in
      asked.withLock { $0 = request.url }
      throw OAuthError(.userClosedBrowser, "Closed.")
    }
    let client = try fixture.client(presenter: presenter) { $0.offlineAccess = .withConsent }
    let policy = try Policy(id: "B2C_1_EditProfile", kind: kind)
    await expectError(OAuthError.self, .userClosedBrowser) { try await client.signIn(policy: policy) }
    let page = query(of: try require(asked.withLock { $0 }))
    #expect(page["prompt"] == nil && page["scope"]?.contains("offline_access") == false)
  }
}
