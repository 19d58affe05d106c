// Microsoft Graph's /v1.0/me with an Entra ID authority: no policy, the same connector.
//
// swift run graph-example runs it against a local tenant in Entra's shape. For the real service take the settings from
// `settings.plist`, and leave out `presenter`, `cache` and `transport`.

import B2CConnector
import B2CTestKit
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

let tenant = LocalTenant(shape: .entra)
let network = LocalNetwork(tenant, LocalGraph(tenant: tenant))
let settings = try ConnectorSettings(
  data: Data(
    """
    <plist version="1.0">
    <dict>
      <key>authority</key> <string>\(tenant.authority())</string>
      <key>clientId</key> <string>\(tenant.clientID)</string>
      <key>scopes</key> <array><string>https://graph.microsoft.com/User.Read</string></array>
      <key>redirectUri</key> <string>\(LocalTenant.standardRedirectURI)</string>
    </dict>
    </plist>
    """.utf8))

var environment = Connector.Environment()
environment.presenter = ScriptedPresenter(transport: network, .signIn(.alice))
environment.cache = .memory()
environment.transport = network
guard let url = URL(string: "https://graph.microsoft.com/v1.0/me") else { exit(1) }
let connector = try Connector(settings: settings, environment: environment) { $0.allowedAPIs = [url] }
let result = try await connector.signIn(options: SignInOptions(prompt: .selectAccount))
print("signed in as \(result.user.username ?? result.user.id)")

let (data, response) = try await connector.data(for: URLRequest(url: url))
print("GET \(url.path) -> \(response.statusCode): \(String(decoding: data, as: UTF8.self))")

try await connector.signOut()
exit(response.statusCode == 200 ? 0 : 1)
