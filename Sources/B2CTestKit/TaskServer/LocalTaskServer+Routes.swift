internal import B2CCore
internal import B2CHTTP
internal import Foundation
internal import TaskAPI

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension LocalTaskServer {
  /// Answers one request.
  func respond(to request: URLRequest) -> LocalResponse {
    let path = request.path
    let segments = path.dropFirst(basePath.count).split(separator: "/").map(String.init)
    guard path == basePath || path.hasPrefix(basePath + "/"), segments.count <= 1 else {
      return error(404, "ResourceNotFound", "\(path) does not exist")
    }
    guard allows(request.method, namesTask: !segments.isEmpty) else {
      return error(405, "MethodNotAllowed", "\(request.method) is not allowed")
    }
    guard let token = request.bearerToken else { return refusal(401, "") }
    guard let claims = tenant.claims(ofAccessToken: token, audiences: audiences) else {
      return refusal(401, ", error=\"invalid_token\"")
    }
    guard requiredScopes.isSubset(of: (claims["scp"]?.string ?? "").split(separator: " ").map(String.init)) else {
      let required = requiredScopes.sorted().joined(separator: " ")
      return refusal(403, ", error=\"insufficient_scope\", scope=\"\(required)\"")
    }
    let body = request.httpBody ?? Data()
    guard let fields = body.isEmpty ? [:] : LocalJSON.object(body) else {
      return error(400, "InvalidContent", "Invalid JSON in the body")
    }
    let owner = (claims["oid"] ?? claims["sub"])?.string ?? ""
    switch request.method {
    case "GET", "HEAD": return list(of: owner, id: segments.first)
    case "POST": return add(fields, of: owner)
    case "DELETE": return delete(fields, of: owner, id: segments.first)
    default: return update(fields, of: owner, id: segments.first)
    }
  }

  /// A JSON answer.
  func json(_ value: JSONValue, status: Int = 200) -> LocalResponse {
    LocalResponse(
      status: status, headers: ["Content-Type": "application/json"], body: LocalJSON.data(value))
  }

  /// An error in restify's form.
  func error(_ status: Int, _ code: String, _ message: String) -> LocalResponse {
    json(.object(["code": .string(code), "message": .string(message)]), status: status)
  }

  /// The published servers cannot change a task; one that routes by id has nothing to change or delete at its base.
  private func allows(_ method: String, namesTask: Bool) -> Bool {
    switch method {
    case "GET", "HEAD": true
    case "POST": !namesTask || !dialect.routesByID
    case "DELETE": namesTask || !dialect.routesByID
    case "PUT": namesTask && dialect.routesByID
    default: false
    }
  }

  /// A refusal with a bearer challenge (RFC 6750 section 3).
  private func refusal(_ status: Int, _ parameters: String) -> LocalResponse {
    LocalResponse(
      status: status,
      headers: ["WWW-Authenticate": "Bearer realm=\"Users\"" + parameters, "Content-Type": "text/plain"],
      body: Data((status == 401 ? "Unauthorized" : "Forbidden").utf8))
  }
}
