package import B2CConnector
package import B2CCore
internal import B2CTestKit
internal import Foundation

extension Scene {
  /// Sends a request to an API that refuses one token.
  ///
  /// - Parameters:
  ///   - connector: The connector that sends the request.
  ///   - scopes: The scopes of the token; the settings' unless named.
  ///   - user: Whose token to send.
  ///   - refused: The token that the API answers with 401.
  ///   - meanwhile: What happens before it does.
  /// - Returns: The token that the API takes.
  /// - Throws: What the call throws.
  package func token(
    of connector: Connector, scopes: [String]? = nil, user: UserInfo? = nil, refusing refused: Secret,
    meanwhile: @escaping @Sendable () async throws -> Void = {}
  ) async throws -> Secret {
    let call = UUID().uuidString
    transport.intercept { request in
      guard request.value(forHTTPHeaderField: "X-Call") == call else { return nil }
      let token = request.value(forHTTPHeaderField: "Authorization")?.dropFirst("Bearer ".count) ?? ""
      guard token == refused.value else { return LocalResponse(status: 200, body: Data(token.utf8)) }
      try await meanwhile()
      return LocalResponse(status: 401, headers: ["WWW-Authenticate": "Bearer"])
    }
    var request = URLRequest(url: tasks.url)
    request.setValue(call, forHTTPHeaderField: "X-Call")
    let (body, _) = try await connector.data(for: request, scopes: scopes, user: user)
    return Secret(String(decoding: body, as: UTF8.self))
  }
}
