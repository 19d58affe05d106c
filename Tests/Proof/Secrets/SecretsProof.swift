import B2CConnector
import B2CCore
import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Lets a program sign in, call, fail and sign out, and looks for its secrets in everything that it leaves behind.
struct SecretsProof: ProofCommand {
  static let name = "secrets"
  static let summary = "looks for tokens in output, arguments, files and request lines of a program under faults"

  static func run(_ options: ProofOptions) async throws -> Bool {
    let folder = try TemporaryDirectory("secrets")
    defer { folder.remove() }
    let world = try await SecretsWorld(folder.url, isQuick: options.isQuick)
    let child = try ChildProcess(
      SecretsWorker.self,
      [
        folder.url.path, world.tenant.authority(form: .query), world.tasks.url.absoluteString, world.redirectURI,
        world.issuer.authority(),
      ] + options.flags.sorted(), keepsErrors: true)
    var output = ""
    var pages = 0
    var fault = ""
    var signedIn: [String: Data] = [:]
    // Each line says what the worker wants next.
    while true {
      let line = child.readLine()
      guard !line.isEmpty else { break }
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      switch words[0] {
      case "page":
        pages += 1
        try await world.finishPage()
      case "fault":
        fault = words.last ?? ""
        world.armNextFault(fault)
        child.signal()
      case "files":
        signedIn = try world.files("cache")
        child.signal()
      default: output += "(\(fault)) \(line)\n"
      }
    }
    output += child.readToEnd()
    var findings = SecretsFindings(tokens: try world.secrets(isBindingSecret: false))
    let all = SecretSweep(try world.secrets(isBindingSecret: true))
    findings.look("output: values and errors, dumped", [Data(output.utf8)], for: all)
    findings.look("standard error: events", [Data(child.errors.utf8)], for: all)
    findings.look("command line of the browser", world.arguments().opener, for: all)
    findings.look("command lines of all processes (/proc)", world.arguments().processes, for: all)
    findings.look("files of the sealed cache, signed in", Array(signedIn.values), for: all)
    findings.look("files of the sealed cache, signed out", Array(try world.files("cache").values), for: all)
    findings.look("request lines at the servers", world.requestLines())
    findings.table.show()
    var broken = findings.broken
    let sealed = signedIn.values.count { $0.firstRange(of: Data("\"sealed\"".utf8)) != nil }
    print("sealed records in the files while signed in: \(sealed)")
    if sealed == 0 { broken.append("no file of the signed-in user has a sealed record: nothing was looked through") }
    if child.ending != 0 { broken.append("the worker ended with \(child.ending): \(child.errors.suffix(500))") }
    if pages != 2 { broken.append("\(pages) pages instead of 2") }
    broken += world.faultsMissed()
    await world.stop()
    for line in broken { print("BROKEN  \(line)") }
    return broken.isEmpty
  }
}

/// What was looked through, and what was found in it.
private struct SecretsFindings {
  var table = Table("looked through", "pieces", "bytes", "")
  var broken: [String] = []
  private let tokens: SecretSweep

  init(tokens: Set<String>) { self.tokens = SecretSweep(tokens) }

  /// Looks for pieces of secrets; `nil` for what this system does not have.
  mutating func look(_ name: String, _ texts: [Data]?, for search: SecretSweep? = nil) {
    guard let texts else { return table.add(name, "", "", "not run") }
    let trace = (search ?? tokens).trace(in: Data(texts.joined(separator: "\n".utf8)))
    let bytes = texts.map(\.count).reduce(0, +)
    table.add(name, "\(texts.count)", "\(bytes)", trace == nil ? "nothing" : "A SECRET")
    if let trace { broken.append("\(name): …\(trace)…") }
    if bytes == 0 { broken.append("\(name): nothing to look through") }
  }
}

/// A request that the secrets' proof lets meet faults, and the secret that the answer echoes.
enum SecretsFault: String, CaseIterable, Sendable {
  case refresh
  case code
  case verifier
  /// The redirect with an error, which repeats what binds it to the sign-in.
  case state
  case nonce
  /// Documents that no secret is sent for, from a server that knows the refresh token from another request.
  case metadata
  case keys
  case userinfo
  case device

  /// Which requests the fault happens to; for ``refresh``, each call of the task API as well.
  var target: LocalFaultTarget {
    switch self {
    case .refresh: .tokenRefresh
    case .code, .verifier: .tokenCode
    case .state, .nonce: .authorize
    case .metadata: .metadata
    case .keys: .keys
    case .userinfo: .path("/userinfo")
    case .device: .token
    }
  }

  /// The newest secret of the kind that a tenant was sent.
  func secret(in requests: [RecordedRequest]) -> String? {
    requests.reversed().lazy.compactMap { recorded in
      switch self {
      case .refresh, .metadata, .keys: recorded.form["refresh_token"]
      case .code: recorded.form["code"]
      case .verifier: recorded.form["code_verifier"]
      case .state: recorded.query["state"]
      case .nonce: recorded.query["nonce"]
      case .userinfo: recorded.bearerToken
      case .device: recorded.form["device_code"]
      }
    }.first
  }

  /// The answers to meet: all for a refresh, and each encoding once in the short form of the others.
  func echoes(isQuick: Bool) -> [SecretsEcho] {
    let all = SecretsEcho.all
    guard isQuick, self != .refresh else { return all }
    // Six encodings and five statuses: a step of seven comes by each encoding, in another status.
    return (0..<6).map { all[$0 * 7 % all.count] }
  }

  /// Whether the tenant is the one that is a plain OpenID Connect provider.
  var isOfIssuer: Bool { self == .userinfo || self == .device }
}

/// What a server returns of a secret that it was sent: in some status, in some encoding.
struct SecretsEcho: Sendable {
  let status: Int
  let encode: @Sendable (String) -> String

  /// Every status in every encoding.
  static let all = [400, 401, 429, 500, 200].flatMap { status in
    encodings.map { SecretsEcho(status: status, encode: $0) }
  }

  private static let encodings: [@Sendable (String) -> String] = [
    { $0 }, { $0.uppercased() }, { Data($0.utf8).base64EncodedString() },
    { Base64URL.encode(Array("token=\($0)".utf8)) }, { $0.utf8.map { "%" + String($0, radix: 16) }.joined() },
    { $0.utf8.map { String($0, radix: 16) }.joined() },
  ]

  /// An answer with the secret in every place that clients read.
  func answer(_ secret: String) -> LocalResponse {
    let echo = encode(secret)
    let fields = [
      "error": "interaction_required", "error_description": "You sent \(echo).", "message": echo, "issuer": echo,
      "error_uri": "https://example.com/\(echo)",
    ]
    return LocalResponse(
      status: status,
      headers: ["WWW-Authenticate": "Bearer error=\"\(echo)\", error_description=\"\(echo)\"", "Location": echo],
      body: (try? JSONEncoder().encode(fields)) ?? Data())
  }

  /// Changes a redirect back to the app into a refusal that repeats a secret.
  func refuse(_ response: inout LocalResponse, _ secret: String, redirectURI: String) {
    guard let location = response.headers["Location"], location.hasPrefix(redirectURI),
      let state = URLComponents(string: location)?.queryItems?.first(where: { $0.name == "state" })?.value
    else { return }
    let pairs = [
      ("error", "server_error"), ("error_description", "You sent \(encode(secret))."), ("error_uri", encode(secret)),
      ("state", state),
    ]
    response.headers["Location"] = redirectURI + "?" + FormEncoding.encode(pairs.map { (name: $0.0, value: $0.1) })
  }
}
