// A local tenant and task server as a process, for UI tests in a simulator, a browser or another program:
//
//   swift run local-tenant --port 8400 --task-port 8401 --redirect-uri com.example.tasks:/callback --settings-out settings.plist

import B2CConnector
import B2CTestKit
import Foundation

let help = """
  Runs a tenant and a task server on this machine until it is stopped with Ctrl-C.

    --port N              the tenant's port on 127.0.0.1, by default one that the system chooses
    --task-port N         the task server's port, likewise
    --redirect-uri URI    a redirect URI of the app, by default com.example.tasks:/callback; repeatable
    --shape NAME          b2c (the default), entra, ciam or openid-connect
    --dialect NAME        the task server's: tutorial (the default), repository, or rest, which can change tasks
    --token-lifetime SECONDS
                          how long access tokens and id_tokens live, by default 3600
    --settings-out FILE   write an app's settings.plist there
    --help                this text
  """

/// Why the program ends, in a sentence, with its exit code.
struct Failure: Error {
  let message: String
  var code: Int32 = 2
}

func write(_ line: String, to file: FileHandle = .standardOutput) {
  try? file.write(contentsOf: Data((line + "\n").utf8))
}

let shapes: [String: LocalTenant.Shape] = [
  "b2c": .b2c, "entra": .entra, "ciam": .ciam, "openid-connect": .openIDConnect,
]
let dialects: [String: TaskDialect] = ["tutorial": .tutorial, "repository": .repository, "rest": .rest]

func names<Value>(_ choices: [String: Value]) -> String { choices.keys.sorted().joined(separator: ", ") }

/// The values of a settings.plist, by its keys.
func values(of settings: ConnectorSettings) -> [String: Any] {
  let policies = settings.policies.all.map {
    ["id": $0.id, "kind": $0.kind?.rawValue, "domainHint": $0.domainHint].compactMapValues(\.self)
  }
  var values: [String: Any] = [
    "authority": settings.authority.description, "clientId": settings.clientID, "scopes": settings.scopes,
    "redirectUri": settings.redirectURI.absoluteString,
  ]
  // On this machine the host does not tell the kind; policies do.
  if policies.isEmpty { values["authorityKind"] = settings.authority.kind.rawValue }
  values["taskWebAPI"] = settings.taskWebAPI?.absoluteString
  if !policies.isEmpty { values["policies"] = policies }
  return values
}

func run(_ arguments: [String]) async throws {
  var words = arguments[...]
  var ports: (tenant: UInt16, tasks: UInt16) = (0, 0)
  var redirectURIs: [String] = []
  var shape = LocalTenant.Shape.b2c
  var dialect = TaskDialect.tutorial
  var lifetime = 3_600
  var file: String?
  while let word = words.popFirst() {
    func value<Value>(_ kind: String, _ read: (String) -> Value?) throws -> Value {
      guard let text = words.popFirst(), let value = read(text) else {
        throw Failure(message: "\(word) needs \(kind). --help shows the options.")
      }
      return value
    }
    switch word {
    case "--port": ports.tenant = try value("a port") { UInt16($0) }
    case "--task-port": ports.tasks = try value("a port") { UInt16($0) }
    case "--redirect-uri":
      redirectURIs.append(try value("a redirect URI") { URL(string: $0)?.scheme == nil ? nil : $0 })
    case "--shape": shape = try value("one of \(names(shapes))") { shapes[$0] }
    case "--dialect": dialect = try value("one of \(names(dialects))") { dialects[$0] }
    case "--token-lifetime":
      lifetime = try value("a number of seconds") { Int($0).flatMap { $0 > 0 ? $0 : nil } }
    case "--settings-out": file = try value("a file") { $0 }
    case "--help", "-h": return write(help)
    default: throw Failure(message: "There is no option \(word). --help shows the options.")
    }
  }
  if redirectURIs.isEmpty { redirectURIs = [LocalTenant.standardRedirectURI] }
  let tenant = LocalTenant(shape: shape, redirectURIs: redirectURIs, accessTokenLifetime: .seconds(lifetime))
  let tasks = LocalTaskServer(tenant: tenant, dialect: dialect)
  try await tenant.start(port: ports.tenant)
  try await tasks.start(port: ports.tasks)
  let settings = try tenant.settings(taskServer: tasks)
  write("authority  \(tenant.authority())")
  write("client id  \(tenant.clientID)")
  write("redirect   \(redirectURIs.joined(separator: " "))")
  write("task API   \(tasks.url.absoluteString)")
  for user in tenant.users { write("user       \(user.email) with the password \(user.password.value)") }
  if let file {
    do {
      try PropertyListSerialization.data(fromPropertyList: values(of: settings), format: .xml, options: 0)
        .write(to: URL(fileURLWithPath: file))
    } catch {
      throw Failure(
        message: "The settings cannot be written to \(file). Check that its directory exists and is writable.", code: 1)
    }
    write("settings   \(file)")
  }
  write("Ready. Ctrl-C stops both servers.")
  while true { try await Task.sleep(for: .seconds(86_400)) }
}

do {
  try await run(Array(CommandLine.arguments.dropFirst()))
} catch let error as Failure {
  write("local-tenant: \(error.message)", to: .standardError)
  exit(error.code)
} catch {
  write("local-tenant: \(error)", to: .standardError)
  exit(1)
}
