import B2CConnector
import B2CCore
import B2CLoopback
import B2COAuth
import B2CTestKit
import Foundation

/// The servers and the person of the secrets' proof, and what they have seen.
final class SecretsWorld: Sendable {
  let tenant: LocalTenant
  let tasks: LocalTaskServer
  let redirectURI: String
  private let folder: URL
  private let person = ScriptedPresenter(transport: URLSessionTransport(), .signIn(.alice))
  private let faults: Locked<[@Sendable (String) -> TransportResponse]>
  private let seenArguments = Locked<[Data]>([])

  var faultsLeft: Int { faults.withLock { $0.count } }

  init(_ folder: URL) async throws {
    self.folder = folder
    // The tenant compares the port of a redirect, so one that is free now is chosen.
    let probe = try await LoopbackListener { $0.close() }
    let port = probe.port
    await probe.close()
    redirectURI = "http://127.0.0.1:\(port)/callback"
    tenant = LocalTenant(redirectURIs: [redirectURI])
    tenant.behavior.refreshTokenReuse = .allowed
    tasks = LocalTaskServer(tenant: tenant)
    faults = Locked(Self.answers)
    try await tenant.start()
    try await tasks.start()
    try Self.writeOpener(folder)
  }

  func stop() async {
    await tenant.stop()
    await tasks.stop()
  }

  /// What a server returns of a secret that it was sent.
  private static let answers: [@Sendable (String) -> TransportResponse] = {
    var answers: [@Sendable (String) -> TransportResponse] = []
    for status in [400, 401, 429, 500, 200] {
      for encode in encodings { answers.append { answer(status, echoing: encode($0)) } }
    }
    return answers
  }()

  private static let encodings: [@Sendable (String) -> String] = [
    { $0 }, { $0.uppercased() }, { String($0.prefix(24)) }, { Data($0.utf8).base64EncodedString() },
    { Base64URL.encode(Array("token=\($0)".utf8)) }, { $0.utf8.map { "%" + String($0, radix: 16) }.joined() },
    { $0.utf8.map { String($0, radix: 16) }.joined() },
  ]

  private static func answer(_ status: Int, echoing echo: String) -> TransportResponse {
    let fields = ["error": "interaction_required", "error_description": "You sent \(echo).", "message": echo]
    return TransportResponse(
      status: status,
      headers: ["WWW-Authenticate": "Bearer error=\"\(echo)\", error_description=\"\(echo)\"", "Location": echo],
      body: (try? JSONEncoder().encode(fields)) ?? Data())
  }

  /// The next answer, for every request that carries a token.
  func armNextFault() {
    guard let answer = faults.withLock({ $0.popLast() }) else { return }
    let tenant = tenant
    let tasks = tasks
    tenant.faults = [
      LocalFault(on: .tokenRefresh, .change { $0 = answer(tenant.requests.last?.form["refresh_token"] ?? "") })
    ]
    tasks.faults = [LocalFault(.change { $0 = answer(tasks.requests.last?.bearerToken ?? "") })]
  }

  /// Takes the page that the opener was given, and goes to the redirect as a browser does.
  func finishPage() async throws {
    let file = folder.appendingPathComponent("opened")
    while !FileManager.default.fileExists(atPath: file.path) { try await Task.sleep(for: .milliseconds(5)) }
    let text = try String(contentsOf: file, encoding: .utf8)
    try FileManager.default.removeItem(at: file)
    let arguments = folder.appendingPathComponent("arguments")
    let seen = try Data(contentsOf: arguments)
    seenArguments.withLock { $0 += [seen, Data(text.utf8)] }
    guard let page = URL(string: text.trimmingCharacters(in: .whitespacesAndNewlines)),
      let redirect = URL(string: redirectURI)
    else { throw ProofError("the opener was given no URL") }
    let callback = try await person.present(
      PresentationRequest(purpose: .signIn, redirectURI: redirect, state: Secret("")) { _ in page })
    _ = try await URLSessionTransport().send(TransportRequest(url: callback))
  }

  /// Every secret that has crossed the wire.
  func secrets() throws -> Set<String> {
    var found: Set<String> = [LocalUser.alice.password.value]
    for recorded in tenant.requests + tasks.requests {
      for name in ["code", "code_verifier", "refresh_token"] {
        if let value = recorded.form[name] { found.insert(value) }
      }
      if let token = recorded.bearerToken { found.insert(token) }
      let body = recorded.response.flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0.body).object } ?? [:]
      for name in ["access_token", "refresh_token", "id_token"] {
        if let value = body[name]?.string { found.insert(value) }
      }
    }
    let key = (try? Data(contentsOf: folder.appendingPathComponent("key/key"))) ?? Data()
    if let text = (try? JSONDecoder().decode(JSONValue.self, from: key))?.object?["key"]?.string { found.insert(text) }
    guard found.count > 10 else { throw ProofError("only \(found.count) secrets were seen") }
    return found
  }

  func arguments() -> [Data] { seenArguments.withLock { $0 } }

  func files(_ name: String) throws -> [Data] {
    let directory = folder.appendingPathComponent(name)
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    return try files.map { try Data(contentsOf: directory.appendingPathComponent($0)) }
      + [Data(files.joined(separator: " ").utf8)]
  }

  /// Methods and URLs; the hint of the sign-out page belongs into one, and was asked for.
  func requestLines() -> [Data] {
    (tenant.requests + tasks.requests).map { recorded in
      var url = recorded.request.url.absoluteString
      if let hint = recorded.query["id_token_hint"] { url = url.replacingOccurrences(of: hint, with: "") }
      return Data("\(recorded.request.method.rawValue) \(url)".utf8)
    }
  }

  /// A program in the browser's place, which notes what it was started with and what all processes were.
  private static func writeOpener(_ folder: URL) throws {
    let programs = folder.appendingPathComponent("bin")
    try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
    let script = """
      #!/bin/sh
      cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\000' ' ' >'\(folder.path)/arguments'
      printf '%s' "$1" >'\(folder.path)/opened.new'
      mv '\(folder.path)/opened.new' '\(folder.path)/opened'
      """
    let file = programs.appendingPathComponent("xdg-open")
    try Data((script + "\n").utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
  }
}
