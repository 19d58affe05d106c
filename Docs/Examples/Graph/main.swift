// Microsoft Graph's /v1.0/me with an Entra ID authority: no policy, the same connector.
//
// swift run graph-example runs it against a local tenant in Entra's shape. For the real service take the settings from
// `settings.plist`, leave out `presenter` and `cache`, and allow https://graph.microsoft.com.

import B2CConnector
import B2CTestKit
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

let redirectURI = "com.example.tasks:/callback"
let tenant = LocalTenant(shape: .entra, redirectURIs: [redirectURI])
try await tenant.start()

// On this machine the host tells nothing, so the kind is said; login.microsoftonline.com needs no such help.
let settings = try ConnectorSettings(
  data: Data(
    """
    <plist version="1.0">
    <dict>
      <key>authority</key> <string>\(tenant.authority())</string>
      <key>authorityKind</key> <string>entra</string>
      <key>clientId</key> <string>\(tenant.clientID)</string>
      <key>scopes</key> <array><string>https://graph.microsoft.com/User.Read</string></array>
      <key>redirectUri</key> <string>\(redirectURI)</string>
    </dict>
    </plist>
    """.utf8))

var environment = OAuthEnvironment()
environment.presenter = ScriptedPresenter(transport: URLSessionTransport(), .signIn(.alice))
environment.cache = InMemoryTokenCache()
let connector = try Connector(
  settings: settings, environment: environment
) { $0.allowedAPIs = [tenant.graphURL] }
let result = try await connector.signIn(options: SignInOptions(prompt: .selectAccount))
print("signed in as \(result.user.username ?? result.user.accountID)")

let url = tenant.graphURL.appendingPathComponent("v1.0/me")
let (data, response) = try await connector.data(for: URLRequest(url: url))
print("GET \(url.path) -> \(response.statusCode): \(String(decoding: data, as: UTF8.self))")

try await connector.signOut()
await tenant.stop()
exit(response.statusCode == 200 ? 0 : 1)
