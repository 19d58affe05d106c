import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport

/// Lets a program sign in, call and sign out, and looks for its secrets in what only other processes can see.
struct SecretsProof: ProofCommand {
  static let name = "secrets"
  static let summary = "looks for tokens in arguments, files, logs and request lines of a program"

  static func run(_ options: ProofOptions) async throws -> Bool {
    let folder = try TemporaryDirectory("secrets")
    defer { folder.remove() }
    let world = try await SecretsWorld(folder.url)
    let child = try ChildProcess(
      SecretsWorker.self,
      [folder.url.path, world.tenant.authority(form: .query), world.tasks.url.absoluteString, world.redirectURI],
      keepsErrors: true)
    var output = ""
    var pages = 0
    var signedIn: [String: Data] = [:]
    // Each line says what the worker wants next.
    while case let line = child.readLine(), !line.isEmpty {
      switch line {
      case "page":
        pages += 1
        try await world.finishPage()
      case "fault":
        world.echo()
        child.signal()
      case "files":
        world.noteProcesses()
        signedIn = try world.files("cache")
        child.signal()
      default: output += line + "\n"
      }
    }
    output += child.readToEnd()
    let all = SecretSweep(try world.secrets(isBindingSecret: true))
    var findings = SecretsFindings()
    findings.look("standard output", [Data(output.utf8)], for: all)
    findings.look("standard error: events and errors", [Data(child.errors.utf8)], for: all)
    findings.look("command line of the browser", world.arguments().opener, for: all)
    findings.look("command lines of all processes (/proc)", world.arguments().processes, for: all)
    findings.look("files of the sealed cache, signed in", Array(signedIn.values), for: all)
    findings.look("files of the sealed cache, signed out", Array(try world.files("cache").values), for: all)
    let tokens = SecretSweep(try world.secrets(isBindingSecret: false))
    findings.look("request lines at the servers", world.requestLines(), for: tokens)
    findings.table.show()
    var broken = findings.broken
    let sealed = signedIn.values.count { $0.firstRange(of: Data("\"sealed\"".utf8)) != nil }
    print("sealed records in the files while signed in: \(sealed)")
    if sealed == 0 { broken.append("no file of the signed-in user has a sealed record: nothing was looked through") }
    if child.ending != 0 { broken.append("the worker ended with \(child.ending): \(child.errors.suffix(500))") }
    if pages != 2 { broken.append("\(pages) pages instead of 2") }
    await world.stop()
    for line in broken { print("BROKEN  \(line)") }
    return broken.isEmpty
  }
}

/// What was looked through, and what was found in it.
private struct SecretsFindings {
  var table = Table("looked through", "pieces", "bytes", "")
  var broken: [String] = []

  /// Looks for pieces of secrets; `nil` for what this system does not have.
  mutating func look(_ name: String, _ texts: [Data]?, for search: SecretSweep) {
    guard let texts else { return table.add(name, "", "", "not run") }
    let trace = search.trace(in: Data(texts.joined(separator: "\n".utf8)))
    let bytes = texts.map(\.count).reduce(0, +)
    table.add(name, "\(texts.count)", "\(bytes)", trace == nil ? "nothing" : "A SECRET")
    if let trace { broken.append("\(name): …\(trace)…") }
    if bytes == 0 { broken.append("\(name): nothing to look through") }
  }
}
