import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// What a diagnosis does and does not do.
///
/// Its findings are in ``DiagnosisMessageTests``, and what it says of the sign-in page in ``DiagnosisPageTests``.
@Suite("Diagnosis", .hangLimit)
struct DiagnosisTests {
  static let shapes: [LocalTenant.Shape] = [.b2c, .entra, .ciam, .openIDConnect]

  private func finding(of check: String, _ diagnosis: Diagnosis) throws -> Diagnosis.Finding {
    try #require(diagnosis.findings.first { $0.check.hasPrefix(check) }, "\(diagnosis)")
  }

  @Test(
    "Keys that cannot verify an id_token fail, and only Azure AD B2C has policies to check", arguments: shapes,
    ["for encryption", "for another algorithm"])
  func unusableKeys(shape: LocalTenant.Shape, fault: String) async throws {
    let tenant = LocalTenant(shape: shape)
    tenant.behavior.changeKeys = { keys in
      for index in keys.indices {
        if fault == "for encryption" { keys[index]["use"] = "enc" } else { keys[index]["alg"] = "RS512" }
      }
    }
    let diagnosis = try await Connector.local(tenant).diagnose()
    let keys = try finding(of: "keys", diagnosis)
    #expect(keys.outcome == .failed && keys.recoverySuggestion != nil)
    #expect("\(diagnosis)".contains("olic") == (shape == .b2c), "\(diagnosis)")
  }

  @Test("A diagnosis signs no one in and does not touch the cache")
  func writesNothing() async throws {
    let (scene, cache) = (Scene(), CountingCache())
    #expect(try await scene.connector(cache: cache).diagnose().isHealthy)
    #expect(cache.takeCounts().isEmpty)
    #expect(!scene.tenant.requests.contains { $0.response?.headers["Location"]?.contains("code=") == true })
  }

  @Test("A server whose users return to an https URL needs no presenter", arguments: [true, false])
  func noPresenter(isStatic: Bool) async throws {
    let scene = Scene(redirectURIs: ["https://tasks.example.com/callback"])
    var environment = scene.environment()
    environment.presenter = nil
    let settings = try scene.settings()
    let diagnosis =
      isStatic
      ? try await Connector.diagnose(settings: settings, environment: environment)
      : try await Connector(settings: settings, environment: environment).diagnose()
    #expect(diagnosis.isHealthy)
  }

  @Test("An app's own transport that fails is a finding, whose text is not repeated")
  func strangers() async throws {
    struct Failure: Error, CustomStringConvertible {
      var description: String { "canary" }
    }
    let scene = Scene()
    scene.transport.intercept { _ in throw Failure() }
    let diagnosis = try await scene.connector().diagnose()
    #expect(try finding(of: "metadata of B2C_1_SignIn", diagnosis).outcome == .failed)
    #expect(!diagnosis.description.contains("canary"))
  }

  @Test("A cancelled diagnosis has no findings", arguments: [LocalFaultTarget.metadata, .authorize], [true, false])
  func cancelled(_ target: LocalFaultTarget, isStatic: Bool) async throws {
    let scene = Scene()
    // The transport takes no notice of a cancelled task.
    let gate = scene.transport.hang(at: target)
    let connector = try scene.connector()
    let call = Task {
      guard isStatic else { return try await connector.diagnose() }
      return try await Connector.diagnose(settings: scene.settings(), environment: scene.environment())
    }
    await gate.waitForArrivals(1)
    call.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await call.value }
    let unusable = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Connector.diagnose(settings: try ConnectorSettings(data: Data()))
    }
    await #expect(throws: CancellationError.self) { try await unusable.value }
  }

  @Test(
    "An optional endpoint that cannot be used is a warning, at an authority that is known by its metadata",
    arguments: [
      ("userinfo_endpoint", ""), ("revocation_endpoint", "/revoke"), ("device_authorization_endpoint", "http://a.b/d"),
      ("end_session_endpoint", "https://issuer.example/logout?state=x"),
    ], [LocalTenant.Shape.openIDConnect, .b2c])
  func optionalEndpoint(_ endpoint: (name: String, text: String), _ shape: LocalTenant.Shape) async throws {
    let tenant = LocalTenant(shape: shape)
    tenant.behavior.changeMetadata = { $0[endpoint.name] = .string(endpoint.text) }
    let diagnosis = try await Connector.local(tenant).diagnose()
    let metadata = try finding(of: "metadata", diagnosis)
    #expect(diagnosis.isHealthy && metadata.outcome == (shape == .b2c ? .ok : .warning), "\(diagnosis)")
    #expect(metadata.detail.contains(endpoint.name) == (shape == .openIDConnect), "\(metadata)")
  }

  static let refusals = [
    (
      400, #"{"error":"invalid_tenant","error_description":"AADSTS90002: Tenant 'cont' not found. Trace ID: 1"}"#,
      "AADSTS90002"
    ),
    (404, "AADB2C90052: There is no such policy.\r\nCorrelation ID: 1", "AADB2C90052"),
    (400, "<html><body>AADSTS900023: The tenant &#39;cont&#39; is not valid.</body>", "AADSTS900023"),
  ]

  @Test(
    "The provider's words instead of metadata are in the error and in the diagnosis", arguments: refusals,
    [LocalTenant.Shape.b2c, .entra, .ciam])
  func refusedMetadata(_ answer: (status: Int, body: String, code: String), _ shape: LocalTenant.Shape) async throws {
    let (tenant, code) = (LocalTenant(shape: shape), answer.code)
    let response = LocalResponse(status: answer.status, body: Data(answer.body.utf8))
    tenant.faults = [LocalFault(on: .metadata, .respond(response))]
    let connector = try Connector.local(tenant)
    let error = try await #require(throws: ConnectorError.self) { try await connector.signIn() }
    #expect(error.code == .configuration && error.serverCode == code && error.status == answer.status, "\(error)")
    let description = try #require(error.serverDescription)
    #expect(description.hasPrefix(code + ": ") && !description.contains("ID"))
    let text = try await connector.diagnose().description
    #expect(text.contains("[\(code)] The server said: \(code): "), "\(text)")
  }

  @Test(
    "An issuer cannot forge a line", arguments: ["\r\n[ok] sign-in page: fine", "\u{1B}[2J", "\u{202E}ko", "\u{2028}x"])
  func issuer(_ text: String) async throws {
    let tenant = LocalTenant(shape: .ciam)
    tenant.behavior.changeMetadata = { $0["issuer"] = .string("https://login.example/\(tenant.tenantID)/" + text) }
    let diagnosis = try await Connector.local(tenant).diagnose()
    #expect(try finding(of: "metadata", diagnosis).detail.contains("https://login.example/"))
    for scalar in ["\u{1B}", "\r", "\n", "\u{202E}", "\u{2028}"] {
      #expect(!diagnosis.findings.contains { $0.detail.contains(scalar) }, "\(diagnosis)")
    }
  }

  @Test("A diagnosis is printed with a line for each finding")
  func words() {
    let diagnosis = Diagnosis([
      .init("a|b", .failed, "first\nsecond", recovery: "Use <tenant> & go."), .init("c", .ok, "fine"),
    ])
    #expect(diagnosis.description == "[failed] a|b: first\nsecond\n    Use <tenant> & go.\n[ok] c: fine")
  }
}
