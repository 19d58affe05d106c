// Fuzzes the loopback listener, a pure function of the engine (`PendingSignIn.validate`), and `FormEncoding`.

import B2CLoopback
import B2COAuth
import Foundation
import TestSupport

extension FuzzTarget {
  /// Requests to the loopback listener.
  ///
  /// The first byte says where the bytes are cut on their way.
  static let heads = FuzzTarget(name: "heads", parse: { _ = read([Array($0.dropFirst())]) }, check: checkHeads)

  private static let limits = LoopbackLimits(headBytes: 64 << 10, bodyBytes: 1 << 10)

  private enum Ending: Equatable {
    case incomplete
    case refused(Int)
    case request(method: String, target: String, fields: [String], body: Data)
  }

  private static func read(_ pieces: [[UInt8]]) -> Ending {
    var parser = RequestParser(limits: limits)
    do throws(RequestRefusal) {
      for piece in pieces {
        guard let request = try parser.parse(piece) else { continue }
        return .request(
          method: request.method, target: request.target,
          fields: request.headers.map { "\($0.key): \($0.value)" }.sorted(), body: request.body)
      }
      return .incomplete
    } catch {
      return .refused(error.status)
    }
  }

  @Sendable private static func checkHeads(_ input: [UInt8]) throws {
    let bytes = Array(input.dropFirst())
    let whole = read([bytes])
    let size = 1 + Int(input.first ?? 0) % 40
    let pieces = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    let cut = read(pieces)
    try expect(cut == whole, "in pieces of \(size): \(cut); whole: \(whole)")
    guard case .request(let method, let target, let fields, let body) = whole else { return }
    try expect(fields.count { $0.lowercased().hasPrefix("host:") } == 1, "not one Host field")
    try expect(fields.count { $0.lowercased().hasPrefix("content-length:") } <= 1, "two lengths")
    try expect(!fields.contains { $0.lowercased().hasPrefix("transfer-encoding:") }, "a transfer coding")
    let head = ["\(method) \(target) HTTP/1.1"] + fields
    try expect(
      head.allSatisfy { !$0.utf8.contains(0x0D) && !$0.utf8.contains(0x0A) && !$0.utf8.contains(0) },
      "a line break within a line")
    let again = read([Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + Array(body)])
    try expect(again == whole, "written and read again: \(again), not \(whole)")
  }

  /// Callback URLs and form bodies.
  ///
  /// `STATE` in an input becomes the request's state.
  static let callback = FuzzTarget(
    name: "callback",
    parse: { input in
      let text = String(decoding: input, as: UTF8.self)
      if let url = URL(string: text) { _ = try? scenes[0].signIn.validate(url, from: scenes[0].provider) }
      _ = FormEncoding.decode(text)
    }, check: checkCallback)

  private struct Scene: Sendable {
    let redirectURI: URL
    let signIn: PendingSignIn
    let provider: Provider
  }

  private static let state = "bQ2x-8cFvN1rYtLz7GdKw0HsPjUeMa4IoZnEiVqTgXk"
  private static let nonce = "n0S6_WzA2Mj-4kq1vT9sYx7bLr3uEoPdGhCfIaJmKwQ"
  private static let verifier = "Vr8-kD3pQ1_mZx6TnBc0LhYw5JsGf2EaUiRo7tKvXeC"
  private static let hidden = HiddenSecrets(state, nonce, verifier)

  private static let issuer = "https://login.contoso.com/contoso.onmicrosoft.com/v2.0/"

  private static let scenes: [Scene] = [
    "https://app.contoso.com/signed-in", "com.contoso.tasks:/callback", "http://127.0.0.1/callback",
    "http://localhost:8400", "urn:ietf:wg:oauth:2.0:oob",
  ].compactMap { try? scene($0) }

  private static func scene(_ redirect: String) throws -> Scene {
    guard let redirectURI = URL(string: redirect) else { throw Failure("no URL") }
    let authority = try Authority("https://login.contoso.com/contoso.onmicrosoft.com/?p=B2C_1_SignIn")
    let metadata = try ProviderMetadata(
      json: Data(#"{"issuer":"\#(issuer)","jwks_uri":"https://login.contoso.com/keys"}"#.utf8), allowsHTTP: false)
    let provider = try Provider(
      authority: authority, policy: authority.policy,
      endpoints: Endpoints(authority: authority, policy: authority.policy), metadata: metadata)
    let pending = """
      {"endpoint":"https://login.contoso.com/authorize","authority":"a","client":"client","redirect":"\(redirect)",
      "scopes":[],"additional":[],"offline":true,"query":"","begun":0,"correlation":"\(UUID())",
      "state":"\(state)","nonce":"\(nonce)","verifier":"\(verifier)"}
      """
    return Scene(
      redirectURI: redirectURI, signIn: try JSONDecoder().decode(PendingSignIn.self, from: Data(pending.utf8)),
      provider: provider)
  }

  @Sendable private static func checkCallback(_ input: [UInt8]) throws {
    try expect(scenes.count == 5, "the scenes cannot be made")
    let template = String(decoding: input, as: UTF8.self)
    let pairs = FormEncoding.decode(template)
    let again = FormEncoding.decode(FormEncoding.encode(pairs))
    try expect(
      again.elementsEqual(pairs) {
        $0.name.utf8.elementsEqual($1.name.utf8) && $0.value.utf8.elementsEqual($1.value.utf8)
      },
      "the form \(pairs) is read again as \(again)")
    for scene in scenes {
      let text = template.replacing("STATE", with: state)
      if let url = URL(string: text) { try check(url, scene) }
    }
  }

  private static func check(_ url: URL, _ scene: Scene) throws {
    guard let callback = try hidden.value({ try scene.signIn.validate(url, from: scene.provider) }) else { return }
    // An accepted callback, looked at by Foundation instead.
    guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: false),
      let registered = URLComponents(url: scene.redirectURI, resolvingAgainstBaseURL: false)
    else { throw Failure("a callback that Foundation cannot read") }
    let isSamePlace =
      parts.scheme?.lowercased() == registered.scheme?.lowercased()
      && parts.host?.lowercased() == registered.host?.lowercased() && parts.user == nil
      && (parts.port == registered.port || (registered.scheme == "http" && registered.port == nil))
      && path(of: parts) == path(of: registered)
    try expect(
      isSamePlace && values("code", of: parts) == [callback.code.value] && !callback.code.value.isEmpty
        && values("state", of: parts) == [state], "\(url) is accepted at \(scene.redirectURI)")
  }

  /// The path, in which a browser replaces an empty one by a slash.
  private static func path(of parts: URLComponents) -> String {
    parts.host != nil && parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
  }

  /// The values of a parameter in the part that counts: the query, or the fragment of a URL whose query answers nothing.
  private static func values(_ name: String, of parts: URLComponents) -> [String] {
    let query = FormEncoding.decode(parts.percentEncodedQuery ?? "")
    let isInQuery = query.contains { ["code", "error", "state"].contains($0.name) }
    let pairs = isInQuery ? query : FormEncoding.decode(parts.percentEncodedFragment ?? "")
    return pairs.filter { $0.name == name }.map(\.value)
  }
}
