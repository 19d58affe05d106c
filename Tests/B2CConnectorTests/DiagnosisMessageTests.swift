import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Every finding of a diagnosis, side by side: what was wrong, and the findings that say so.
@Suite("Messages of a diagnosis", .hangLimit)
struct DiagnosisMessageTests {
  // `…` stands for any text. What begins with `issuer:` happens at a provider that is not Microsoft's.
  static let texts = """
    nothing | [ok] settings: every key can be read
    nothing | [ok] sign-in policy: B2C_1_SignIn (kind signIn, from emailSignInPolicyId)
    nothing | [ok] metadata of B2C_1_SignIn: issuer https://contoso.b2clogin.com/22222222-2222-4222-8222-222222222222/v2.0/ (kind signIn, from emailSignInPolicyId)
    nothing | [ok] keys of B2C_1_SignIn: … can verify a signature
    nothing | [ok] sign-in page: client ID and redirect URI are accepted; scopes are checked at the sign-in; offline_access was not requested
    nothing | [ok] presenter: ScriptedPresenter can receive com.example.tasks:/callback
    metadata | [failed] metadata of B2C_1_SignIn: The request for the metadata document of the policy B2C_1_SignIn failed with status 404: GET https://contoso.b2clogin.com/contoso.onmicrosoft.com/v2.0/.well-known/openid-configuration. Check the authority, the tenant and the name of the policy B2C_1_SignIn in the settings.
    metadata | [skipped] keys of B2C_1_SignIn: fix the metadata first
    metadata | [skipped] sign-in page: fix the failed checks first
    keys | [failed] keys of B2C_1_SignIn: none can verify a signature Check the policy's keys in the portal.
    issuer: keys | [failed] keys: none can verify a signature Check the provider's signing keys.
    issuer: endpoint | [warning] metadata: issuer https://contoso.example; these endpoints cannot be used and are ignored: userinfo_endpoint Have the issuer publish them as https URLs without parameters of the protocol.
    issuer: page | [skipped] sign-in page: the provider showed a page (“Hello”) instead of a redirect Sign in once to see whether the client ID, the redirect URI and the scopes are accepted.
    issuer: busy | [skipped] sign-in page: the provider could not be asked (status 503) Sign in once to see whether the client ID, the redirect URI and the scopes are accepted.
    issuer: redirect | [skipped] sign-in page: the provider redirected the browser to https://other.example/x Sign in once to see whether the client ID, the redirect URI and the scopes are accepted.
    issuer: silent | [skipped] sign-in page: the browser came back without a code and without an error Sign in once to see whether the client ID, the redirect URI and the scopes are accepted.
    issuer: refusal | [failed] sign-in page: The provider answered 400 without an OAuth error. The server said: Unknown client. Check the client ID, the redirect URI and the scopes in the settings.
    issuer: presenter | [failed] presenter: LoopbackPresenter cannot receive the redirect URI com.example.tasks:/callback. Use WebAuthenticationPresenter on Apple platforms, or ExternalBrowserPresenter.
    warning | [warning] settings: scopes[0]: Azure AD B2C issues no access token for this scope, which is Microsoft Graph's or names no API. List the scopes of your API, for example https://contoso.onmicrosoft.com/tasks/read.
    kind | [failed] sign-in policy: The settings name no policy of the kind signIn. Add it to the settings, or pass the policy itself.
    host | [failed] authority: Azure AD B2C no longer runs policies on login.microsoftonline.com, only on <tenant>.b2clogin.com. Write "https://contoso.b2clogin.com/contoso.onmicrosoft.com/". Change the authority. The redirect URI stays the same.
    host | [skipped] metadata and keys: fix the authority first
    file | [failed] settings: the file: The file does not exist, or cannot be read. Check the path and the file's permissions, or add the file to the app's target.
    file | [skipped] all other checks: fix /nowhere/settings.plist first
    """

  private static func answering(
    _ target: LocalFaultTarget, _ status: Int, _ body: String = "", location: String? = nil
  ) -> @Sendable (Scene) throws -> Void {
    { scene in
      let headers = location.map { ["Location": $0] } ?? [:]
      let answer = LocalResponse(status: status, headers: headers, body: Data(body.utf8))
      scene.tenant.faults = [LocalFault(on: target, .respond(answer))]
    }
  }

  /// What is done to a scene before the diagnosis.
  static let faults: [String: @Sendable (Scene) throws -> Void] = [
    "metadata": answering(.metadata, 404), "keys": answering(.keys, 200, #"{"keys":[]}"#),
    "issuer: keys": answering(.keys, 200, #"{"keys":[]}"#),
    "issuer: endpoint": { scene in
      scene.tenant.behavior.changeMetadata = { $0["userinfo_endpoint"] = "http://contoso.example/userinfo" }
    },
    "issuer: page": answering(.authorize, 200, "<title>Hello</title>"), "issuer: busy": answering(.authorize, 503),
    "issuer: redirect": answering(.authorize, 302, location: "https://other.example/x?y=z"),
    "issuer: silent": answering(.authorize, 302, location: Scene.redirect),
    "issuer: refusal": answering(.authorize, 400, "<h1>Unknown client.</h1>"),
  ]

  /// The settings of a row.
  private func settings(_ name: String, _ scene: Scene) throws -> ConnectorSettings {
    if name == "file" { return try ConnectorSettings(contentsOf: URL(filePath: "/nowhere/settings.plist")) }
    let microsoft = try Authority("https://login.microsoftonline.com/contoso.onmicrosoft.com/")
    var settings = try scene.settings()
    if name == "host" { settings.authority = microsoft }
    if name == "kind" { settings.policies = .init(others: [try Policy(id: "B2C_1_EditProfile", kind: .profileEdit)]) }
    guard name == "warning" else { return settings }
    return try ConnectorSettings(
      data: Data(
        """
        <plist><dict><key>authority</key><string>\(settings.authority)</string>
        <key>clientId</key><string>\(settings.clientID)</string>
        <key>redirectUri</key><string>\(settings.redirectURI)</string>
        <key>scopes</key><array><string>User.Read</string></array>
        <key>emailSignInPolicyId</key><string>B2C_1_SignIn</string></dict></plist>
        """.utf8))
  }

  @Test("A finding", arguments: texts.split(separator: "\n").map(String.init))
  func finding(_ row: String) async throws {
    let parts = row.components(separatedBy: " | ")
    let isPlainIssuer = parts[0].hasPrefix("issuer:")
    let scene = Scene(shape: isPlainIssuer ? .openIDConnect : .b2c)
    try Self.faults[parts[0]]?(scene)
    let presenter: (any SignInPresenter)? = parts[0].hasSuffix("presenter") ? LoopbackPresenter { _ in } : nil
    let diagnosis = try await Connector.diagnose(
      settings: try settings(parts[0], scene), environment: scene.environment(presenter: presenter))
    let findings = diagnosis.findings.map { finding in
      let text = "[\(finding.outcome.rawValue)] \(finding.check): \(finding.detail)"
      return text + (finding.recoverySuggestion.map { " " + $0 } ?? "")
    }
    #expect(findings.contains { isText($0, parts[1]) }, "\(diagnosis)")
    let foreign = ["policy", "policies", "user flow", "portal", "b2c", "aadsts", "azure", "client id itself"]
    for word in foreign where isPlainIssuer { #expect(!"\(diagnosis)".lowercased().contains(word), "\(diagnosis)") }
  }
}
