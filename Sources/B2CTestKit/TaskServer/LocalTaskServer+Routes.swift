internal import B2CCore
internal import B2CHTTP
internal import Foundation
internal import TaskAPI

/// A request for tasks, taken apart.
struct LocalTaskCall: Sendable {
  let request: TransportRequest
  let owner: String?
  /// The path's parts after the base path.
  let segments: [String]
  /// Fields of the query and of the JSON or form body; of two with one name, the body's.
  let parameters: [String: JSONValue]

  /// A field that is a text and not empty.
  func text(_ name: String) -> String? {
    guard let text = parameters[name]?.string, !text.isEmpty else { return nil }
    return text
  }
}

extension LocalTaskServer {
  /// Answers one request.
  func respond(to request: TransportRequest) -> TransportResponse {
    let path = request.url.path
    guard let segments = segments(of: path), segments.count <= (dialect.routesByID ? 1 : 2) else {
      return error(404, "ResourceNotFound", "\(path) does not exist")
    }
    guard allows(request.method, segments) else {
      return error(405, "MethodNotAllowed", "\(request.method.rawValue) is not allowed")
    }
    let claims: [String: JSONValue]
    switch authorize(request) {
    case .success(let found): claims = found
    case .failure(let refusal): return refusal.response
    }
    guard let parameters = parameters(of: request) else {
      return error(400, "InvalidContent", "Invalid JSON in the body")
    }
    let owner = (claims["oid"] ?? claims["sub"])?.string
    let call = LocalTaskCall(request: request, owner: owner, segments: segments, parameters: parameters)
    switch request.method {
    case .get, .head: return list(call)
    case .post: return add(call)
    case .delete: return delete(call)
    default: return update(call)
    }
  }

  /// A JSON answer.
  func json(_ value: JSONValue, status: Int = 200) -> TransportResponse {
    TransportResponse(
      status: status, headers: ["Content-Type": "application/json"], body: LocalJSON.data(value))
  }

  /// An error in restify's form.
  func error(_ status: Int, _ code: String, _ message: String) -> TransportResponse {
    json(.object(["code": .string(code), "message": .string(message)]), status: status)
  }

  /// The published servers cannot change a task; one that routes by id has nothing to change or delete at its base.
  private func allows(_ method: TransportRequest.Method, _ segments: [String]) -> Bool {
    switch method {
    case .get, .head: true
    case .post: segments.isEmpty || !dialect.routesByID
    case .delete: !segments.isEmpty || !dialect.routesByID
    case .put: !segments.isEmpty && dialect.routesByID
    default: false
    }
  }

  private func segments(of path: String) -> [String]? {
    let base = basePath
    guard path == base || path.hasPrefix(base + "/") else { return nil }
    return path.dropFirst(base.count).split(separator: "/").map(String.init)
  }

  private func parameters(of request: TransportRequest) -> [String: JSONValue]? {
    var parameters = LocalForm.pairs(query: request.url).mapValues(JSONValue.string)
    guard let body = request.body, !body.isEmpty else { return parameters }
    let type = request.headers["Content-Type"]?.lowercased() ?? ""
    if type.hasPrefix("application/x-www-form-urlencoded") {
      parameters.merge(LocalForm.pairs(body).mapValues(JSONValue.string)) { $1 }
      return parameters
    }
    guard let fields = LocalJSON.object(body) else { return nil }
    return parameters.merging(fields) { $1 }
  }
}

/// The bearer check (RFC 6750 section 3).
extension LocalTaskServer {
  private struct Refusal: Error {
    let response: TransportResponse
  }

  private func authorize(_ request: TransportRequest) -> Result<[String: JSONValue], Refusal> {
    guard let token = LocalBearer.token(in: request.headers) else {
      return .failure(Refusal(response: unauthorized("")))
    }
    switch tenant.checkAccessToken(token, audiences: audiences) {
    case .failure(let problem):
      let parameters = ", error=\"invalid_token\", error_description=\"\(problem.rawValue)\""
      return .failure(Refusal(response: unauthorized(parameters)))
    case .success(let claims):
      let scopes = Set((claims["scp"]?.string ?? "").split(separator: " ").map(String.init))
      guard requiredScopes.isSubset(of: scopes) else {
        return .failure(Refusal(response: insufficientScope))
      }
      return .success(claims)
    }
  }

  private func unauthorized(_ parameters: String) -> TransportResponse {
    TransportResponse(
      status: 401,
      headers: ["WWW-Authenticate": "Bearer realm=\"Users\"" + parameters, "Content-Type": "text/plain"],
      body: Data("Unauthorized".utf8))
  }

  private var insufficientScope: TransportResponse {
    let scopes = requiredScopes.sorted().joined(separator: " ")
    let challenge = "Bearer realm=\"Users\", error=\"insufficient_scope\", scope=\"\(scopes)\""
    return TransportResponse(
      status: 403, headers: ["WWW-Authenticate": challenge, "Content-Type": "text/plain"],
      body: Data("Forbidden".utf8))
  }
}
