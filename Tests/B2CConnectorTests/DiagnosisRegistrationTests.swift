import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// What a diagnosis finds out about the registration of an app, without a browser.
@Suite("Diagnosis of a registration", .timeLimit(.minutes(10)))
struct DiagnosisRegistrationTests {
  @Test("An unknown client ID is found without a browser", arguments: DiagnosisTests.shapes)
  func unknownClient(shape: LocalTenant.Shape) async throws {
    let diagnosis = try await registration(shape) { $0.clientID = "7bf688ce-8139-4ca8-9391-02fdb6f86d67" }
    let client = try #require(diagnosis.findings.first { $0.check == "client ID" })
    #expect(client.outcome == .failed)
    #expect(client.detail.hasPrefix("7bf688ce-8139-4ca8-9391-02fdb6f86d67 is unknown here"))
    #expect(client.recoverySuggestion?.contains("the portal") == (shape != .openIDConnect))
    #expect(diagnosis.outcomes["redirect URI"] == .skipped)
    #expect(!diagnosis.isHealthy)
  }

  @Test("An unregistered redirect URI is found without a browser", arguments: DiagnosisTests.shapes)
  func unknownRedirectURI(shape: LocalTenant.Shape) async throws {
    let diagnosis = try await registration(shape) { $0.redirectURI = try url("com.contoso.tasks:/other") }
    let redirect = try #require(diagnosis.findings.first { $0.check == "redirect URI" })
    #expect(redirect.outcome == .failed)
    #expect(redirect.detail.hasPrefix("com.contoso.tasks:/other is not registered"))
    #expect(redirect.recoverySuggestion?.isEmpty == false)
    #expect(diagnosis.outcomes["client ID"] == .ok)
  }

  @Test("A right registration is confirmed at every kind of provider", arguments: DiagnosisTests.shapes)
  func registered(shape: LocalTenant.Shape) async throws {
    let diagnosis = try await registration(shape) { _ in }
    #expect(diagnosis.outcomes["client ID"] == .ok, "\(diagnosis)")
    #expect(diagnosis.outcomes["redirect URI"] == .ok, "\(diagnosis)")
    #expect(diagnosis.outcomes["sign-in request"] == nil)
    if shape == .openIDConnect {
      for word in ["policy", "policies", "portal", "B2C"] { #expect(!"\(diagnosis)".contains(word), "\(diagnosis)") }
    }
  }

  @Test("A request that the provider refuses for its scopes confirms the registration, and is a finding")
  func refusedScopes() async throws {
    let diagnosis = try await registration(.b2c) { $0.scopes = ["https://contoso.onmicrosoft.com/nothing/read"] }
    #expect(diagnosis.outcomes["client ID"] == .ok)
    #expect(diagnosis.outcomes["redirect URI"] == .ok)
    let request = try #require(diagnosis.findings.first { $0.check == "sign-in request" })
    #expect(request.outcome == .failed)
    #expect(request.detail.hasSuffix("[AADB2C90117]"))
  }

  @Test("A provider that shows its sign-in page and an odd token answer leaves the registration unchecked")
  func inconclusive() async throws {
    let world = World()
    world.tenant.faults = [
      LocalFault(on: .authorize, .respond(TransportResponse(status: 200, body: Data("redirect_uri client".utf8)))),
      LocalFault(on: .token, .respond(TransportResponse(status: 500, body: Data("<html>".utf8)))),
    ]
    let diagnosis = try await world.connector().diagnose()
    for check in ["client ID", "redirect URI"] {
      let finding = try #require(diagnosis.findings.first { $0.check == check })
      #expect(finding.outcome == .skipped)
      #expect(finding.detail.hasPrefix("not checked"))
      #expect(finding.recoverySuggestion?.contains("the portal") == true)
    }
    #expect(diagnosis.isHealthy)
  }

  static let pages: [(String, client: Diagnosis.Finding.Outcome, redirect: Diagnosis.Finding.Outcome)] = [
    ("Unknown client.", .failed, .skipped), ("Invalid parameter: redirect_uri", .ok, .failed),
    // What names both does not tell which of them is wrong.
    ("The client_id or the redirect_uri is invalid.", .skipped, .skipped),
    ("invalid_client: the redirect URI is not registered for the client", .skipped, .skipped),
    ("Not found: /authorize?client_id=a&redirect_uri=b", .skipped, .skipped), ("Sorry.", .skipped, .skipped),
  ]

  @Test("An error page of a generic issuer counts only where it names one of the two", arguments: pages.indices)
  func errorPages(_ index: Int) async throws {
    let page = Self.pages[index]
    let diagnosis = try await registration(.openIDConnect) { _ in
    } tenant: { tenant in
      tenant.faults = [
        LocalFault(on: .authorize, .respond(TransportResponse(status: 400, body: Data(page.0.utf8)))),
        LocalFault(on: .token, .respond(TransportResponse(status: 500))),
      ]
    }
    #expect(diagnosis.outcomes["client ID"] == page.client, "\(diagnosis)")
    #expect(diagnosis.outcomes["redirect URI"] == page.redirect, "\(diagnosis)")
  }

  @Test("A client that the page knows and the token endpoint refuses is a confidential one")
  func confidentialClient() async throws {
    let diagnosis = try await registration(.openIDConnect) { _ in
    } tenant: { tenant in
      let body = Data(#"{"error":"invalid_client"}"#.utf8)
      tenant.faults = [LocalFault(on: .token, .respond(TransportResponse(status: 401, body: body)))]
    }
    let finding = try #require(diagnosis.findings.first { $0.check == "client ID" })
    #expect(finding.outcome == .failed)
    #expect(finding.detail.contains("confidential"))
  }

  /// The diagnosis of an app at a tenant of a shape, whose settings were changed.
  private func registration(
    _ shape: LocalTenant.Shape, _ change: (inout ConnectorSettings) throws -> Void,
    tenant prepare: (LocalTenant) -> Void = { _ in }
  ) async throws -> Diagnosis {
    let clock = TestClock()
    let tenant = LocalTenant(shape: shape, now: { clock.date })
    prepare(tenant)
    var settings = ConnectorSettings(
      authority: try Authority(tenant.authority(), kind: shape.kind), clientID: tenant.clientID,
      scopes: tenant.apiScopes, redirectURI: try url(LocalTenant.standardRedirectURI))
    if shape == .b2c { settings.policies.emailSignIn = try Policy("B2C_1_SignIn") }
    try change(&settings)
    return try await Connector.diagnose(
      settings: settings,
      environment: OAuthEnvironment(
        presenter: ManualPresenter(), transport: LocalNetwork(tenant, clock: clock), now: { clock.date }))
  }
}

extension LocalTenant.Shape {
  fileprivate var kind: Authority.Kind? {
    switch self {
    case .entra: .entra
    case .ciam: .ciam
    default: nil
    }
  }
}
