import B2CHTTP
import B2CLoopback
import B2CTestKit
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The local tenants under the names of the real service.
///
/// They use plain http on a loopback port, with the runner's TLS front before it. The `Host` of a request names the tenant.
enum ServedTenants {
  static let redirectURI = "http://localhost:8400/callback"

  static func run() async throws {
    var rotating = LocalTenant.Behavior()
    rotating.refreshTokenReuse = .refused
    let b2c = LocalTenant(redirectURIs: [redirectURI], behavior: rotating)
    let entra = LocalTenant(shape: .entra, redirectURIs: [redirectURI], behavior: rotating)
    let ciam = LocalTenant(shape: .ciam, redirectURIs: [redirectURI], behavior: rotating)
    let openIDConnect = LocalTenant(shape: .openIDConnect, redirectURIs: [redirectURI], behavior: rotating)
    let tenants = [b2c, entra, ciam, openIDConnect]
    let listener = try await LoopbackListener { exchange in
      await answer(exchange, tenants)
    }
    let scene: [String: JSONValue] = [
      "port": .integer(Int64(listener.port)), "clientID": .string(b2c.clientID), "redirectURI": .string(redirectURI),
      "apiClientID": .string(b2c.apiClientID), "scopes": .array(b2c.apiScopes.map(JSONValue.string)),
      "email": .string(LocalUser.alice.email), "password": .string(LocalUser.alice.password.value),
      "tenantID": .string(b2c.tenantID),
      "origins": .object(
        Dictionary(
          uniqueKeysWithValues: zip(["b2c", "entra", "ciam", "openIDConnect"], tenants).map {
            ($0, .string($1.inMemoryOrigin.absoluteString))
          })),
    ]
    emit(String(decoding: try JSONEncoder().encode(scene), as: UTF8.self))
    // Until the runner ends the process.
    try await Task.sleep(for: .seconds(3600))
    await listener.close()
  }

  private static func answer(_ exchange: LoopbackExchange, _ tenants: [LocalTenant]) async {
    let request = exchange.request
    guard let host = request.headers["host"], let url = URL(string: "https://\(host)\(request.target)"),
      let tenant = tenants.first(where: { $0.serves(url) })
    else {
      await exchange.respond(.text("No tenant has this name.", status: 404))
      return
    }
    let answer = try? await tenant.answer(
      URLRequest(
        method: request.method, url: url, headers: request.headers, body: request.body.isEmpty ? nil : request.body))
    guard let answer else { return exchange.close() }
    await exchange.respond(LoopbackResponse(answer))
  }
}
