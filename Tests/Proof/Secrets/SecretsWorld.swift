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

/// The servers and the person of the secrets' proof, and what they have seen.
final class SecretsWorld: Sendable {
  let tenant: LocalTenant
  /// A plain OpenID Connect provider: userinfo and device codes.
  let issuer: LocalTenant
  let tasks: LocalTaskServer
  let redirectURI: String
  private let folder: URL
  private let person = ScriptedPresenter(transport: URLSessionTransport(), .signIn(.alice))
  private let isQuick: Bool
  private let left: Locked<[SecretsFault: [SecretsEcho]]>
  private let hits = Locked<[SecretsFault: Int]>([:])
  private let commandLines = Locked<(opener: [Data], processes: Set<Data>)>(([], []))

  init(_ folder: URL, isQuick: Bool) async throws {
    self.folder = folder
    self.isQuick = isQuick
    // The tenant compares the port of a redirect, so one that is free now is chosen.
    let probe = try await LoopbackListener { $0.close() }
    let port = probe.port
    await probe.close()
    redirectURI = "http://127.0.0.1:\(port)/callback"
    tenant = LocalTenant(redirectURIs: [redirectURI])
    tenant.behavior.refreshTokenReuse = .allowed
    issuer = LocalTenant(shape: .openIDConnect, redirectURIs: [redirectURI])
    tasks = LocalTaskServer(tenant: tenant)
    left = Locked(Dictionary(uniqueKeysWithValues: SecretsFault.allCases.map { ($0, $0.echoes(isQuick: isQuick)) }))
    try await tenant.start()
    try await issuer.start()
    try await tasks.start()
    try Self.writeOpener(folder)
  }

  func stop() async {
    await tenant.stop()
    await issuer.stop()
    await tasks.stop()
  }

  /// Faults that were not asked for, or that met no request.
  func faultsMissed() -> [String] {
    let left = left.withLock { $0 }
    let hits = hits.withLock { $0 }
    return SecretsFault.allCases.compactMap { fault in
      let count = hits[fault] ?? 0
      let wanted = fault.echoes(isQuick: isQuick).count
      guard left[fault]?.isEmpty != true || count < wanted else { return nil }
      return "\(fault.rawValue): \(count) of \(wanted) faults happened"
    }
  }

  /// The next answer to a kind of request; none for an unknown kind, so that the tenants behave.
  func armNextFault(_ name: String) {
    tenant.faults = []
    issuer.faults = []
    tasks.faults = []
    noteProcesses()
    guard let fault = SecretsFault(rawValue: name), let echo = left.withLock({ $0[fault]?.popLast() }) else { return }
    let server = fault.isOfIssuer ? issuer : tenant
    let redirectURI = redirectURI
    let hits = hits
    let isHit = Locked(false)
    server.faults = [
      LocalFault(
        on: fault.target,
        .change { response in
          guard let secret = fault.secret(in: server.requests) else { return }
          let before = response
          if fault == .state || fault == .nonce {
            echo.refuse(&response, secret, redirectURI: redirectURI)
          } else {
            response = echo.answer(secret)
          }
          let isFirst = isHit.withLock { isHit in
            defer { isHit = isHit || response != before }
            return !isHit && response != before
          }
          if isFirst { hits.withLock { $0[fault, default: 0] += 1 } }
        })
    ]
    let tasks = tasks
    if fault == .refresh {
      tasks.faults = [LocalFault(.change { $0 = echo.answer(tasks.requests.last?.bearerToken ?? "") })]
    }
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
    let callback = try await person.present(
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
    for recorded in tenant.requests + issuer.requests + tasks.requests {
      for name in ["code", "code_verifier", "refresh_token", "device_code"] {
        if let value = recorded.form[name] { found.insert(value) }
      }
      for name in ["state", "nonce"] where isBindingSecret {
        if let value = recorded.query[name] { found.insert(value) }
      }
      if let token = recorded.bearerToken { found.insert(token) }
      let body = recorded.response.flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0.body).object } ?? [:]
      for name in ["access_token", "refresh_token", "id_token", "device_code"] {
        if let value = body[name]?.string { found.insert(value) }
      }
    }
    found.insert(try String(contentsOf: folder.appendingPathComponent("key"), encoding: .utf8))
    guard found.count > 60 else { throw ProofError("only \(found.count) secrets were seen") }
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
    (tenant.requests + issuer.requests + tasks.requests).map { recorded in
      var url = recorded.request.url?.absoluteString ?? ""
      if let hint = recorded.query["id_token_hint"] { url = url.replacingOccurrences(of: hint, with: "") }
      return Data("\(recorded.request.method) \(url)".utf8)
    }
  }

  private func noteProcesses() {
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
