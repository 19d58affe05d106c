import B2CLoopback
import B2CTestKit
import Foundation

/// The local tenants under the names of the real service.
///
/// They use plain http on a loopback port, with the runner's TLS front before it. The `Host` of a request names the tenant.
enum ServedTenants {
  static func run() async throws {
    let redirectURI = "http://localhost:8400/callback"
    var rotating = LocalTenant.Behavior()
    rotating.refreshTokenReuse = .refused
    let shapes: [(name: String, LocalTenant.Shape)] = [
      ("b2c", .b2c), ("entra", .entra), ("ciam", .ciam), ("openIDConnect", .openIDConnect),
    ]
    let tenants = shapes.map { LocalTenant(shape: $1, redirectURIs: [redirectURI], behavior: rotating) }
    let listener = try await LoopbackListener { await answer($0, tenants) }
    let origins = zip(shapes, tenants).map { ($0.name, JSONValue.string($1.inMemoryOrigin.absoluteString)) }
    let scene: [String: JSONValue] = [
      "port": .integer(Int64(listener.port)), "clientID": .string(tenants[0].clientID),
      "redirectURI": .string(redirectURI), "apiClientID": .string(tenants[0].apiClientID),
      "scopes": .array(tenants[0].apiScopes.map(JSONValue.string)), "email": .string(LocalUser.alice.email),
      "password": .string(LocalUser.alice.password.value), "tenantID": .string(tenants[0].tenantID),
      "origins": .object(Dictionary(uniqueKeysWithValues: origins)),
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
    let body = request.body.isEmpty ? nil : request.body
    let answer = try? await tenant.answer(
      URLRequest(method: request.method, url: url, headers: request.headers, body: body))
    guard let answer else { return exchange.close() }
    await exchange.respond(LoopbackResponse(answer))
  }
}
