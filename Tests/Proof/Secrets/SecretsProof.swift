import B2CConnector
import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport

/// Lets a program sign in, call, fail and sign out, and looks for its secrets in everything that it leaves behind.
struct SecretsProof: ProofCommand {
  static let name = "secrets"
  static let summary = "looks for tokens in output, arguments, files and request lines of a program under faults"

  static func run(_ options: ProofOptions) async throws -> Bool {
    let folder = try ProofFolder("secrets")
    defer { folder.remove() }
    let world = try await SecretsWorld(folder.url)
    let child = try ChildProcess(
      SecretsWorker.self,
      [folder.url.path, world.tenant.authority(form: .query), world.tasks.url.absoluteString, world.redirectURI]
        + (options.isBroken ? ["--broken"] : []), keepsErrors: true)
    var output = ""
    var pages = 0
    // Each line says what the worker wants next.
    while true {
      let line = child.readLine()
      guard !line.isEmpty else { break }
      switch line {
      case "page":
        pages += 1
        try await world.finishPage()
      case "fault":
        world.armNextFault()
        child.signal()
      default: output += line + "\n"
      }
    }
    output += child.readToEnd()
    let search = SecretSearch(try world.secrets())
    var table = Table("looked through", "pieces", "bytes", "")
    var broken: [String] = []
    func look(_ name: String, _ texts: [Data]) {
      let traces = texts.compactMap { search.trace(in: $0) }
      table.add(
        name, "\(texts.count)", "\(texts.map(\.count).reduce(0, +))", traces.isEmpty ? "nothing" : "A SECRET")
      if let trace = traces.first { broken.append("\(name): …\(trace)…") }
    }
    look("output: values and errors, dumped", [Data(output.utf8)])
    look("standard error: events", [Data(child.errors.utf8)])
    look("arguments of all processes (/proc)", world.arguments())
    look("files of the encrypted cache", try world.files("cache"))
    look("request lines at the servers", world.requestLines())
    table.show()
    if child.ending != 0 { broken.append("the worker ended with \(child.ending): \(child.errors.suffix(500))") }
    if pages != 2 || world.faultsLeft > 0 { broken.append("only \(pages) pages, and \(world.faultsLeft) faults left") }
    await world.stop()
    for line in broken { print("BROKEN  \(line)") }
    return broken.isEmpty
  }
}
