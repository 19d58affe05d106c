// A web server for several people: each signs in by a page of their own, sees their own tasks, and signs out.
//
//   SETTINGS=settings.plist DATABASE=postgresql://server@db.example/tokens?sslmode=verify-full SESSION_KEY=$(openssl rand -base64 32) TaskServer
//
// It listens on 127.0.0.1, at the port of the settings' redirect URI, or at PORT. See README.md beside this file.

import B2CConnector
import Crypto
import Foundation
import Hummingbird

let variables = ProcessInfo.processInfo.environment
func stop(_ message: String) -> Never {
  FileHandle.standardError.write(Data("TaskServer: \(message)\n".utf8))
  exit(2)
}

guard let file = variables["SETTINGS"], let database = variables["DATABASE"],
  let key = variables["SESSION_KEY"].flatMap({ Data(base64Encoded: $0) }), key.count >= 32
else { stop("SETTINGS, DATABASE and SESSION_KEY (32 bytes in base64) are needed.") }
let settings = try ConnectorSettings(contentsOf: URL(fileURLWithPath: file))
var environment = Connector.Environment()
environment.transport = AsyncHTTPClientTransport()
environment.cache = PostgreSQLTokenCache(database)
// Each login brings its own; the connector of all signs no one in.
environment.presenter = VisitorPresenter()
guard !["", "/", "/login"].contains(settings.redirectURI.path), settings.redirectURI.query == nil else {
  stop("The redirect URI needs a path of its own, such as /callback, and no query.")
}
let connector = try Connector(settings: settings, environment: environment)
let site = Site(
  connector: connector, logins: Logins(settings: settings, environment: environment),
  sessions: Sessions(key: SymmetricKey(data: key)))

guard let port = variables["PORT"].flatMap({ Int($0) }) ?? settings.redirectURI.port else { stop("PORT is needed.") }
let address = BindAddress.hostname("127.0.0.1", port: port)
try await Application(router: site.router(), configuration: ApplicationConfiguration(address: address)).runService()
await connector.close()
