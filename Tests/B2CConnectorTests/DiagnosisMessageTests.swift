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
    nothing | [ok] metadata of B2C_1_SignUp: issuer https://contoso.b2clogin.com/22222222-2222-4222-8222-222222222222/v2.0/ (kind signUp, from emailSignUpPolicyId)
    nothing | [ok] keys of B2C_1_SignUp: … can verify a signature
    nothing | [ok] metadata of B2C_1_SignIn: issuer https://contoso.b2clogin.com/22222222-2222-4222-8222-222222222222/v2.0/ (kind signIn, from emailSignInPolicyId)
    nothing | [ok] keys of B2C_1_SignIn: … can verify a signature
    nothing | [ok] sign-in page: client ID and redirect URI are accepted; scopes are checked at the sign-in; offline_access was not requested
    nothing | [ok] presenter: ScriptedPresenter can receive com.example.tasks:/callback
    metadata | [failed] metadata of B2C_1_SignUp: …
    metadata | [skipped] keys of B2C_1_SignUp: fix the metadata first
    metadata | [failed] metadata of B2C_1_SignIn: The request for the metadata document of the policy B2C_1_SignIn failed with status 404: GET https://contoso.b2clogin.com/contoso.onmicrosoft.com/v2.0/.well-known/openid-configuration. Check the authority, the tenant and the name of the policy B2C_1_SignIn in the settings.
    metadata | [skipped] keys of B2C_1_SignIn: fix the metadata first
    metadata | [skipped] sign-in page: fix the failed checks first
    keys | [failed] keys of B2C_1_SignUp: none can verify a signature Check the policy's keys in the portal.
    keys | [failed] keys of B2C_1_SignIn: none can verify a signature Check the policy's keys in the portal.
    missing keys | [failed] keys of B2C_1_SignUp: …status 404…
    missing keys | [failed] keys of B2C_1_SignIn: …status 404…
    kinds | [ok] sign-in policy: B2C_1_ResetPassword (kind signUpOrSignIn, from policies[0])
    kinds | [ok] metadata of B2C_1_EditProfile: … (kind profileEdit, from policies[1])
    policy in the authority | [ok] sign-in policy: B2C_1_SignIn (kind signUpOrSignIn, from the authority)
    policy in the authority | [ok] metadata of B2C_1_ResetPassword: … (kind passwordReset, from policies[0])
    policy in the authority | [ok] metadata of B2C_1_SignIn: … (kind signUpOrSignIn, from the authority)
    policy in the authority | [ok] sign-in page: …
    kind | [failed] sign-in policy: The settings name no policy of the kind signIn. Add it to the settings, or pass the policy itself.
    kind | [ok] metadata of B2C_1_EditProfile: … (kind profileEdit, from policies[0])
    kind | [skipped] sign-in page: fix the failed checks first
    https | [failed] presenter: LoopbackPresenter cannot receive the redirect URI https://app.example.com/callback. Use WebAuthenticationPresenter from iOS 17.4 and macOS 14.4 on, or ExternalBrowserPresenter if the app claims it as a universal link.
    host | [failed] authority: Azure AD B2C no longer runs policies on login.microsoftonline.com, only on <tenant>.b2clogin.com. Write "https://contoso.b2clogin.com/contoso.onmicrosoft.com/". Change the authority. The redirect URI stays the same.
    host | [skipped] metadata and keys: fix the authority first
    host | [ok] presenter: …
    warning | [warning] settings: scopes[0]: Azure AD B2C issues no access token for this scope, which is Microsoft Graph's or names no API. List the scopes of your API, for example https://contoso.onmicrosoft.com/tasks/read.
    warning | [failed] sign-in page: A scope is not offered. … Publish the scope in the API's registration, or correct its name.
    unusable | [failed] settings: clientId: The client ID is not a GUID. Write the application (client) ID of your app's registration.
    unusable | [failed] settings: taskWebAPI: The token would be sent over http, so others could read it on the way. Write the https URL of the list of tasks, or remove the key.
    unusable | [warning] settings: redirectUri: No browser returns from the out-of-band redirect URI of early tutorials. …
    unusable | [warning] settings: authority: … Write "https://contoso.b2clogin.com/contoso.onmicrosoft.com/".
    unusable | [skipped] all other checks: fix the settings first
    file | [failed] settings: the file: The file does not exist, or cannot be read. Check the path and the file's permissions, or add the file to the app's target.
    file | [skipped] all other checks: fix /nowhere/settings.plist first
    directory | [failed] settings: the file: …
    directory | [skipped] all other checks: fix / first
    issuer: keys | [failed] keys: none can verify a signature Check the provider's signing keys.
    issuer: endpoint | [warning] metadata: issuer https://contoso.example; these endpoints cannot be used and are ignored: userinfo_endpoint Have the issuer publish them as https URLs without parameters of the protocol.
    issuer: page | [skipped] sign-in page: the provider showed a page (“Hello”) instead of a redirect Sign in once to see whether the client ID, the redirect URI and the scopes are accepted.
    issuer: busy | [skipped] sign-in page: the provider could not be asked (status 503) Sign in once to see whether the client ID, the redirect URI and the scopes are accepted.
    issuer: redirect | [skipped] sign-in page: the provider redirected the browser to https://other.example/x Sign in once to see whether the client ID, the redirect URI and the scopes are accepted.
    issuer: silent | [skipped] sign-in page: the browser came back without a code and without an error Sign in once to see whether the client ID, the redirect URI and the scopes are accepted.
    issuer: refusal | [failed] sign-in page: The provider answered 400 without an OAuth error. The server said: Unknown client. Check the client ID, the redirect URI and the scopes in the settings.
    issuer: presenter | [failed] presenter: LoopbackPresenter cannot receive the redirect URI com.example.tasks:/callback. Use WebAuthenticationPresenter on Apple platforms, or ExternalBrowserPresenter.
    """

  private static func answering(
    _ target: LocalFaultTarget, _ status: Int, _ body: String = "", location: String? = nil
  ) -> LocalFault {
    let headers = location.map { ["Location": $0] } ?? [:]
    return LocalFault(on: target, .respond(LocalResponse(status: status, headers: headers, body: Data(body.utf8))))
  }

  private static let faults = [
    "metadata": answering(.metadata, 404), "missing keys": answering(.keys, 404),
    "keys": answering(.keys, 200, #"{"keys":[]}"#), "issuer: keys": answering(.keys, 200, #"{"keys":[]}"#),
    "issuer: page": answering(.authorize, 200, "<title>Hello</title>"), "issuer: busy": answering(.authorize, 503),
    "issuer: redirect": answering(.authorize, 302, location: "https://other.example/x?y=z"),
    "issuer: silent": answering(.authorize, 302, location: Scene.redirect),
    "issuer: refusal": answering(.authorize, 400, "<h1>Unknown client.</h1>"),
  ]

  private static let profileEdit = Result { try Policy(id: "B2C_1_EditProfile", kind: .profileEdit) }

  /// Makes the settings of a row, or throws the error of settings that cannot be read.
  private func settings(_ name: String, _ scene: Scene) throws -> ConnectorSettings {
    let microsoft = "https://login.microsoftonline.com/contoso.onmicrosoft.com/"
    switch name {
    case "file": return try ConnectorSettings(contentsOf: URL(filePath: "/nowhere/settings.plist"))
    case "directory": return try ConnectorSettings(contentsOf: URL(filePath: "/"))
    case "unusable":
      return try settingsFile(replacing: [
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/": microsoft, LocalTenant.standardClientID: "nonsense",
        Scene.redirect: "urn:ietf:wg:oauth:2.0:oob",
        "https://tasks.example/tasks": "http://api.contoso.com/tasks?code=an-api-key",
      ])
    case "warning": return try settingsFile(replacing: ["https://contoso.onmicrosoft.com/tasks/read": "User.Read"])
    case "host": return try scene.settings { $0.authority = try Authority(microsoft) }
    case "kind": return try scene.settings { $0.policies = .init(others: [try Self.profileEdit.get()]) }
    case "kinds":
      return try scene.settings {
        $0.policies = .init(others: [try Policy("B2C_1_ResetPassword"), try Self.profileEdit.get()])
      }
    case "policy in the authority":
      return try scene.settings(form: .path) {
        $0.policies = .init(others: [try Policy(id: "B2C_1_ResetPassword", kind: .passwordReset)])
      }
    default: return try scene.settings()
    }
  }

  private static let rows = texts.split(separator: "\n").map { row in
    let parts = row.components(separatedBy: " | ")
    return (name: parts[0], finding: parts[1])
  }

  @Test("A fault has exactly these findings, in the order of fixing", arguments: Set(rows.map(\.name)))
  func findings(_ name: String) async throws {
    let rows = Self.rows.filter { $0.name == name }.map(\.finding)
    let isPlainIssuer = name.hasPrefix("issuer:")
    let redirectURI = name == "https" ? "https://app.example.com/callback" : Scene.redirect
    let scene = Scene(shape: isPlainIssuer ? .openIDConnect : .b2c, redirectURIs: [redirectURI])
    scene.tenant.faults = [Self.faults[name]].compactMap(\.self)
    if name == "issuer: endpoint" {
      scene.tenant.behavior.changeMetadata = { $0["userinfo_endpoint"] = "http://contoso.example/userinfo" }
    }
    let ownPresenter = ["https", "issuer: presenter"].contains(name) ? LoopbackPresenter { _ in } : nil
    let diagnosis = try await Connector.diagnose(
      settings: try settings(name, scene), environment: scene.environment(presenter: ownPresenter))
    let findings = diagnosis.findings.map { finding in
      let text = "[\(finding.outcome.rawValue)] \(finding.check): \(finding.detail)"
      return text + (finding.recoverySuggestion.map { " " + $0 } ?? "")
    }
    // Findings that are ok may be left out of the table.
    var rest = rows[...]
    for finding in findings {
      if let next = rest.first, isText(finding, next) {
        rest.removeFirst()
      } else if name == "nothing" || !finding.hasPrefix("[ok]") {
        Issue.record("\(finding) is not expected here")
      }
    }
    #expect(rest == [], "\(diagnosis)")
    #expect(diagnosis.isHealthy == !rows.contains { $0.hasPrefix("[failed]") })
    let foreign = ["policy", "policies", "user flow", "portal", "b2c", "aadsts", "azure", "client id itself"]
    for word in foreign where isPlainIssuer { #expect(!"\(diagnosis)".lowercased().contains(word), "\(diagnosis)") }
  }
}
