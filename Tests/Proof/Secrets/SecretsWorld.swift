import B2CConnector
import B2CCore
import B2CHTTP
import B2CLoopback
import B2COAuth
import B2CTestKit
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The servers and the user of the secrets' proof, and what they have seen.
final class SecretsWorld: Sendable {
  let tenant: LocalTenant
  let tasks: LocalTaskServer
  let redirectURI: String
  private let folder: URL
  private let user = ScriptedPresenter(transport: URLSessionTransport(), .signIn(.alice))
  private let commandLines = Locked<(opener: [Data], processes: Set<Data>)>(([], []))

  init(_ folder: URL) async throws {
    self.folder = folder
    // The tenant compares the port of a redirect, so one that is free now is chosen.
    let probe = try await LoopbackListener { $0.close() }
    let port = probe.port
    await probe.close()
    redirectURI = "http://127.0.0.1:\(port)/callback"
    tenant = LocalTenant(redirectURIs: [redirectURI])
    tasks = LocalTaskServer(tenant: tenant)
    try await tenant.start()
    try await tasks.start()
    try Self.writeOpener(folder)
  }

  func stop() async {
    await tenant.stop()
    await tasks.stop()
  }

  /// Lets the tenant refuse a refresh once, with the refresh token in its words.
  func echo() {
    let tenant = tenant
    tenant.faults = [
      LocalFault(
        on: .tokenRefresh, times: 1,
        .change { response in
          let token = tenant.requests.last { $0.form["refresh_token"] != nil }?.form["refresh_token"] ?? ""
          let fields = ["error": "interaction_required", "error_description": "You sent \(token)."]
          response = LocalResponse(status: 400, body: (try? JSONEncoder().encode(fields)) ?? Data())
        })
    ]
  }

  /// Takes the page that the opener was given, and goes to the redirect as a browser does.
  func finishPage() async throws {
    let file = folder.appendingPathComponent("opened")
    while !FileManager.default.fileExists(atPath: file.path) { try await Task.sleep(for: .milliseconds(5)) }
    noteProcesses()
    let text = try String(contentsOf: file, encoding: .utf8)
    try FileManager.default.removeItem(at: file)
    let seen = try Data(contentsOf: folder.appendingPathComponent("processes"))
    commandLines.withLock {
      $0.opener.append(Data(text.utf8))
      if !seen.isEmpty { $0.processes.insert(seen) }
    }
    guard let page = URL(string: text.trimmingCharacters(in: .whitespacesAndNewlines)),
      let redirect = URL(string: redirectURI)
    else { throw ProofError("the opener was given no URL") }
    let callback = try await user.present(
      PresentationRequest(purpose: .signIn, redirectURI: redirect, state: Secret("")) { _ in page })
    _ = try await URLSessionTransport().send(URLRequest(url: callback), limits: .standard)
  }

  /// Every secret that has crossed the wire.
  ///
  /// - Parameter isBindingSecret: Whether `state` and `nonce` are, which belong into a page's URL and nowhere else.
  /// - Returns: The secrets.
  /// - Throws: `ProofError` when there are too few for the proof to say anything.
  func secrets(isBindingSecret: Bool) throws -> Set<String> {
    var found: Set<String> = [LocalUser.alice.password.value]
    for recorded in tenant.requests + tasks.requests {
      for name in ["code", "code_verifier", "refresh_token"] {
        if let value = recorded.form[name] { found.insert(value) }
      }
      for name in ["state", "nonce"] where isBindingSecret {
        if let value = recorded.query[name] { found.insert(value) }
      }
      if let token = recorded.bearerToken { found.insert(token) }
      let body = recorded.response.flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0.body).object } ?? [:]
      for name in ["access_token", "refresh_token", "id_token"] {
        if let value = body[name]?.string { found.insert(value) }
      }
    }
    found.insert(try String(contentsOf: folder.appendingPathComponent("key"), encoding: .utf8))
    guard found.count > 8 else { throw ProofError("only \(found.count) secrets were seen") }
    return found
  }

  /// What the browser was started with, and the command lines of all processes at every fault and page; `nil` for those
  /// where the system has no `/proc`.
  func arguments() -> (opener: [Data], processes: [Data]?) {
    commandLines.withLock { lines in (lines.opener, lines.processes.isEmpty ? nil : Array(lines.processes)) }
  }

  /// The contents and the names of files, by name.
  func files(_ name: String) throws -> [String: Data] {
    let directory = folder.appendingPathComponent(name)
    return Dictionary(
      uniqueKeysWithValues: try FileManager.default.contentsOfDirectory(atPath: directory.path).map {
        ($0, Data("\($0)\n".utf8) + (try Data(contentsOf: directory.appendingPathComponent($0))))
      })
  }

  /// Methods and URLs; the hint of the sign-out page belongs into one, and was asked for.
  func requestLines() -> [Data] {
    (tenant.requests + tasks.requests).map { recorded in
      var url = recorded.request.url?.absoluteString ?? ""
      if let hint = recorded.query["id_token_hint"] { url = url.replacingOccurrences(of: hint, with: "") }
      return Data("\(recorded.request.method) \(url)".utf8)
    }
  }

  func noteProcesses() {
    let numbers = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).filter { Int($0) != nil }
    let lines = numbers.compactMap { FileManager.default.contents(atPath: "/proc/\($0)/cmdline") }.filter {
      !$0.isEmpty
    }
    commandLines.withLock { $0.processes.formUnion(lines) }
  }

  /// A program in the browser's place, which notes what it was started with and what all processes were.
  private static func writeOpener(_ folder: URL) throws {
    let programs = folder.appendingPathComponent("bin")
    try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
    let script = """
      #!/bin/sh
      cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\000' ' ' >'\(folder.path)/processes'
      printf '%s' "$1" >'\(folder.path)/opened.new'
      mv '\(folder.path)/opened.new' '\(folder.path)/opened'
      """
    let file = programs.appendingPathComponent("xdg-open")
    try Data((script + "\n").utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
  }
}
