internal import B2CCore
internal import B2CHTTP
internal import Foundation

extension LocalTaskServer {
  /// The core: one request in, one answer out.
  func respond(to request: TransportRequest) -> LocalAnswer {
    guard state.withLock({ $0.takeToken(now: now()) }) else { return .response(tooManyRequests) }
    let path = request.url.path
    if path.isEmpty || path == "/" { return .response(routeList) }
    guard let segments = segments(of: path), segments.count <= 2 else {
      return .response(error(404, "ResourceNotFound", "\(path) does not exist"))
    }
    guard [.get, .head, .post, .put, .patch, .delete].contains(request.method) else {
      return .response(error(405, "MethodNotAllowed", "\(request.method.rawValue) is not allowed"))
    }
    let claims: [String: JSONValue]
    switch authorize(request) {
    case .success(let found): claims = found
    case .failure(let refusal): return .response(refusal.response)
    }
    let owner = dialect.ownerClaims.lazy.compactMap { claims[$0]?.string }.first
    guard let parameters = parameters(of: request) else {
      return .response(error(400, "InvalidContent", "Invalid JSON in the body"))
    }
    let call = LocalTaskCall(
      request: request, claims: claims, owner: owner, segments: segments, parameters: parameters)
    switch request.method {
    case .get, .head: return list(call)
    case .post: return .response(add(call))
    case .delete: return .response(delete(call))
    default: return .response(update(call))
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

  private var tooManyRequests: TransportResponse {
    let rate = rateLimit?.requestsPerSecond ?? 0
    return error(429, "TooManyRequests", "You have exceeded your request rate of \(rate) r/s.")
  }

  private var routeList: TransportResponse {
    let base = dialect.basePath
    let routes = ["GET \(base)", "POST \(base)", "GET \(base)/:owner", "DELETE \(base)/:owner/:task"]
    return json(.array(routes.map(JSONValue.string)))
  }

  private func segments(of path: String) -> [String]? {
    let base = dialect.basePath
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
    guard let members = LocalJSON.object(body) else { return nil }
    return parameters.merging(members) { $1 }
  }
}
