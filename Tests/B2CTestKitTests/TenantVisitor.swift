import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Talks to a tenant as an app's engine does, step by step, so that a test can do each step wrong.
struct TenantVisitor {
  // RFC 7636 appendix B.
  static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

  let tenant: LocalTenant
  let transport: any HTTPTransport
  var policy: LocalPolicy?
  var form = LocalTenant.AuthorityForm.query

  init(_ tenant: LocalTenant, transport: (any HTTPTransport)? = nil) {
    self.tenant = tenant
    self.transport = transport ?? tenant.transport
    policy = tenant.shape == .b2c ? .signIn : nil
  }

  /// The same visitor at another policy.
  func at(_ policy: LocalPolicy) -> TenantVisitor {
    var visitor = self
    visitor.policy = policy
    return visitor
  }

  /// The URL of an endpoint, with the policy if the form of the authority puts it there.
  func url(_ path: String, _ query: [(String, String)] = []) throws -> URL {
    var base = tenant.authority(form: form, policy: policy)
    if base.hasSuffix("/") { base.removeLast() }
    var pairs = query
    if form == .query, let policy { pairs.insert(("p", policy.id), at: 0) }
    let text = base + path + (pairs.isEmpty ? "" : "?" + FormEncoding.encode(pairs.map { ($0.0, $0.1) }))
    return try #require(URL(string: text))
  }

  var tokenPath: String { tenant.shape == .openIDConnect ? "/token" : "/oauth2/v2.0/token" }

  func authorizeURL(_ changes: [String: String?] = [:]) throws -> URL {
    let parameters = [
      "client_id": tenant.clientID, "response_type": "code", "redirect_uri": tenant.redirectURIs.first ?? "",
      "scope": "openid offline_access " + (tenant.apiScopes.first ?? ""), "state": "state-1", "nonce": "nonce-1",
      "code_challenge": Self.challenge, "code_challenge_method": "S256",
    ].changed(changes)
    let path = tenant.shape == .openIDConnect ? "/authorize" : "/oauth2/v2.0/authorize"
    return try url(path, parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }

  func get(_ url: URL) async throws -> LocalResponse { try await transport.answer(to: URLRequest(url: url)) }

  func post(_ url: URL, _ form: [String: String]) async throws -> LocalResponse {
    let pairs = form.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    return try await transport.answer(
      to: URLRequest(
        method: "POST", url: url, headers: ["Content-Type": "application/x-www-form-urlencoded"],
        body: Data(FormEncoding.encode(pairs).utf8)))
  }

  /// A user who does some things at the tenant's pages; Alice, who signs in, unless they are named.
  func user(_ actions: ScriptedPresenter.Action...) -> ScriptedPresenter {
    ScriptedPresenter(transport: transport, actions.isEmpty ? [.signIn(.alice)] : actions)
  }

  /// Lets a user go through the pages, and returns the callback.
  func callback(
    _ changes: [String: String?] = [:], of user: ScriptedPresenter, isEphemeral: Bool = false
  ) async throws -> URL {
    let page = try authorizeURL(changes)
    let redirect = try #require(URL(string: tenant.redirectURIs.first ?? ""))
    return try await user.present(
      PresentationRequest(
        purpose: .signIn, redirectURI: redirect, state: Secret("state-1"), prefersEphemeralSession: isEphemeral,
        makeURL: { _ in page }))
  }

  /// Lets a user go through the pages, and returns the callback's values.
  func signIn(
    _ changes: [String: String?] = [:], as user: ScriptedPresenter? = nil
  ) async throws -> [String: String] {
    query(of: try await callback(changes, of: user ?? self.user()))
  }

  /// Signs in and redeems the code.
  func tokens(_ changes: [String: String?] = [:], as user: ScriptedPresenter? = nil) async throws -> TokenAnswer {
    try await redeem(signIn(changes, as: user)["code"])
  }

  func redeem(_ code: String?, changing changes: [String: String?] = [:]) async throws -> TokenAnswer {
    let form = [
      "grant_type": "authorization_code", "client_id": tenant.clientID, "code": try #require(code),
      "redirect_uri": tenant.redirectURIs.first ?? "", "code_verifier": Self.verifier,
    ]
    return try TokenAnswer(await post(url(tokenPath), form.changed(changes)))
  }

  func refresh(_ token: String?, changing changes: [String: String?] = [:]) async throws -> TokenAnswer {
    let form = ["grant_type": "refresh_token", "client_id": tenant.clientID, "refresh_token": try #require(token)]
    return try TokenAnswer(await post(url(tokenPath), form.changed(changes)))
  }
}

extension [String: String] {
  /// The same with other values, or without those that are `nil`.
  fileprivate func changed(_ changes: [String: String?]) -> [String: String] {
    var result = self
    for (name, value) in changes { result[name] = value }
    return result
  }
}

/// A token endpoint's answer, read without judging it.
struct TokenAnswer {
  let response: LocalResponse
  let members: [String: JSONValue]

  init(_ response: LocalResponse) throws {
    self.response = response
    members = try #require(response.json)
  }

  var status: Int { response.status }
  subscript(name: String) -> String? { members[name]?.string }
  var error: String? { self["error"] }
  var description: String { self["error_description"] ?? "" }
  var idToken: [String: JSONValue] { Self.part(1, of: self["id_token"]) }
  var accessToken: [String: JSONValue] { Self.part(1, of: self["access_token"]) }
  /// It is one part, and encoded as those of a token are.
  var clientInfo: [String: JSONValue] { Self.part(0, of: self["client_info"]) }

  static func part(_ index: Int, of token: String?) -> [String: JSONValue] {
    let parts = (token ?? "").split(separator: ".", omittingEmptySubsequences: false)
    guard parts.indices.contains(index), let data = Base64URL.decode(String(parts[index])) else { return [:] }
    return (try? JSONDecoder().decode(JSONValue.self, from: data))?.object ?? [:]
  }
}

extension LocalResponse {
  var text: String { String(decoding: body, as: UTF8.self) }
  /// The members of a JSON object.
  var json: [String: JSONValue]? { (try? JSONDecoder().decode(JSONValue.self, from: body))?.object }
}
