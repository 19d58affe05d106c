import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Talks to a tenant as an app's engine does, step by step, so that a test can do each step wrong.
struct TenantVisitor {
  // RFC 7636 appendix B.
  static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

  let tenant: LocalTenant
  let transport: any HTTPTransport
  var policy: LocalPolicy? = .signIn
  var form = LocalTenant.AuthorityForm.query
  var script: [ScriptedPresenter.Action] = [.signIn(.alice)]

  init(_ tenant: LocalTenant, transport: (any HTTPTransport)? = nil) {
    self.tenant = tenant
    self.transport = transport ?? tenant.transport
    if tenant.shape != .b2c { policy = nil }
  }

  /// The URL of an endpoint, with the policy where the form has it.
  func url(_ path: String, _ query: [(String, String)] = []) throws -> URL {
    var base = tenant.authority(form: form, policy: policy)
    if base.hasSuffix("/") { base.removeLast() }
    var pairs = query
    if form == .query, let policy { pairs.insert(("p", policy.id), at: 0) }
    let text = base + path + (pairs.isEmpty ? "" : "?" + FormEncoding.encode(pairs.map { ($0.0, $0.1) }))
    return try #require(URL(string: text))
  }

  var authorizePath: String { tenant.shape == .openIDConnect ? "/authorize" : "/oauth2/v2.0/authorize" }
  var tokenPath: String { tenant.shape == .openIDConnect ? "/token" : "/oauth2/v2.0/token" }

  static func parameters(
    _ tenant: LocalTenant, changing changes: [String: String?] = [:]
  ) -> [(String, String)] {
    var parameters: [String: String] = [
      "client_id": tenant.clientID, "response_type": "code", "redirect_uri": tenant.redirectURIs.first ?? "",
      "scope": "openid offline_access " + (tenant.apiScopes.first ?? ""), "state": "state-1", "nonce": "nonce-1",
      "code_challenge": challenge, "code_challenge_method": "S256",
    ]
    for (name, value) in changes { parameters[name] = value }
    return parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  func authorizeURL(_ changes: [String: String?] = [:]) throws -> URL {
    try url(authorizePath, Self.parameters(tenant, changing: changes))
  }

  func get(_ url: URL, cookie: String? = nil) async throws -> LocalResponse {
    var request = URLRequest(url: url)
    request.setValue(cookie, forHTTPHeaderField: "Cookie")
    return try await transport.answer(to: request)
  }

  func post(_ url: URL, _ form: [String: String], cookie: String? = nil) async throws -> LocalResponse {
    let pairs = form.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    var request = URLRequest(
      method: "POST", url: url, headers: ["Content-Type": "application/x-www-form-urlencoded"],
      body: Data(FormEncoding.encode(pairs).utf8))
    request.setValue(cookie, forHTTPHeaderField: "Cookie")
    return try await transport.answer(to: request)
  }

  /// Goes through the pages and gives the callback's values.
  func signIn(
    _ changes: [String: String?] = [:], presenter: ScriptedPresenter? = nil
  ) async throws -> [String: String] {
    let presenter = presenter ?? makePresenter()
    let page = try authorizeURL(changes)
    let redirect = try #require(URL(string: tenant.redirectURIs.first ?? ""))
    let callback = try await presenter.present(
      PresentationRequest(purpose: .signIn, redirectURI: redirect, state: Secret("state-1")) { _ in page })
    return Self.values(callback)
  }

  func makePresenter() -> ScriptedPresenter {
    let presenter = ScriptedPresenter(transport: transport, script[0])
    return presenter
  }

  /// The values of a callback's query.
  static func values(_ url: URL) -> [String: String] {
    let components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    let text = components?.percentEncodedQuery ?? ""
    return Dictionary(FormEncoding.decode(text).map { ($0.name, $0.value) }) { first, _ in first }
  }

  func redeem(
    _ code: String?, changing changes: [String: String?] = [:]
  ) async throws -> TokenAnswer {
    var form: [String: String] = [
      "grant_type": "authorization_code", "client_id": tenant.clientID, "code": try #require(code),
      "redirect_uri": tenant.redirectURIs.first ?? "", "code_verifier": Self.verifier,
    ]
    for (name, value) in changes { form[name] = value }
    return try TokenAnswer(await post(url(tokenPath), form))
  }

  func refresh(_ token: String?, changing changes: [String: String?] = [:]) async throws -> TokenAnswer {
    var form: [String: String] = [
      "grant_type": "refresh_token", "client_id": tenant.clientID, "refresh_token": try #require(token),
    ]
    for (name, value) in changes { form[name] = value }
    return try TokenAnswer(await post(url(tokenPath), form))
  }

  /// Signs in and redeems the code.
  func tokens(_ changes: [String: String?] = [:]) async throws -> TokenAnswer {
    try await redeem(signIn(changes)["code"])
  }
}

/// A token endpoint's answer, read without judging it.
struct TokenAnswer {
  let response: LocalResponse
  let members: [String: JSONValue]

  init(_ response: LocalResponse) throws {
    self.response = response
    members = try #require(try JSONDecoder().decode(JSONValue.self, from: response.body).object)
  }

  var status: Int { response.status }
  var headers: [String: String] { response.headers }

  subscript(name: String) -> String? { members[name]?.string }

  func header(_ name: String) -> String? { response.header(name) }

  var error: String? { self["error"] }
  var description: String { self["error_description"] ?? "" }
  var idToken: [String: JSONValue] { Self.claims(self["id_token"]) }
  var accessToken: [String: JSONValue] { Self.claims(self["access_token"]) }

  static func claims(_ token: String?) -> [String: JSONValue] { part(1, of: token) }

  static func part(_ index: Int, of token: String?) -> [String: JSONValue] {
    let parts = (token ?? "").split(separator: ".", omittingEmptySubsequences: false)
    guard parts.indices.contains(index), let data = Base64URL.decode(String(parts[index])) else { return [:] }
    return (try? JSONDecoder().decode(JSONValue.self, from: data))?.object ?? [:]
  }
}
