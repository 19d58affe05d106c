// A web server for several people: each signs in by a page of their own, sees their own tasks, and signs out.
//
//   SETTINGS=settings.plist swift run TaskServer
//
// It listens on 127.0.0.1, at the port of the settings' redirect URI, or at PORT. See README.md beside this file.

import B2CConnector
import Crypto
import Foundation
import Hummingbird

func stop(_ message: String) -> Never {
  try? FileHandle.standardError.write(contentsOf: Data("TaskServer: \(message)\n".utf8))
  exit(2)
}

#if canImport(CPostgreSQL)
  /// Tokens and sessions of all instances.
  func shared(_ database: String) -> (any TokenCache, any SessionTable) {
    let cache = PostgreSQLTokenCache(database)
    return (cache, cache)
  }
#else
  func shared(_ database: String) -> (any TokenCache, any SessionTable) {
    stop("DATABASE cannot be used, because this server was built without PostgreSQL.")
  }
#endif

func run(_ variables: [String: String]) async throws {
  guard let file = variables["SETTINGS"] else { stop("SETTINGS is missing. Set it to the path of settings.plist.") }
  // A new key ends the sign-ins under way.
  var key = SymmetricKey(size: .bits256)
  if let text = variables["LOGIN_KEY"] {
    guard let data = Data(base64Encoded: text), data.count == 32 else {
      stop("LOGIN_KEY is not 32 bytes in base64. Make one with openssl rand -base64 32.")
    }
    key = SymmetricKey(data: data)
  }
  var tokens: any TokenCache = .memory()
  var table: any SessionTable = SessionsInMemory()
  if let database = variables["DATABASE"] {
    guard variables["LOGIN_KEY"] != nil else {
      stop("LOGIN_KEY is missing. With DATABASE, all instances need the same one.")
    }
    (tokens, table) = shared(database)
  }

  var environment = Connector.Environment()
  environment.transport = AsyncHTTPClientTransport()
  environment.presenter = SignOutPage()
  environment.cache = tokens
  let connector = try Connector(
    settings: try ConnectorSettings(contentsOf: URL(fileURLWithPath: file)), environment: environment)
  let redirectURI = connector.settings.redirectURI
  guard !["", "/", "/login"].contains(redirectURI.path), redirectURI.query == nil else {
    stop("The redirect URI needs a path of its own, for example /callback, and no query.")
  }
  guard let port = variables["PORT"].flatMap({ Int($0) }) ?? redirectURI.port else {
    stop("PORT is missing, and the redirect URI has none.")
  }

  let site = Site(connector: connector, logins: LoginSeal(key: key), sessions: Sessions(table: table))
  let counts = AddressLimit.Counts([:])
  let most = variables["CONNECTIONS_OF_AN_ADDRESS"].flatMap { Int($0) } ?? 100
  try await Application(
    router: site.router(),
    // A connection that brings no head, or no more of a body, for ten seconds is closed.
    server: .http1(
      configuration: .init(additionalChannelHandlers: [AddressLimit(counts, most: most)], idleTimeout: .seconds(10))),
    configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
  ).runService()
  await connector.close()
}

do {
  try await run(ProcessInfo.processInfo.environment)
} catch {
  stop("\(error)")
}
