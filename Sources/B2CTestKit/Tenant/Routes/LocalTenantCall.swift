internal import B2CHTTP
internal import Foundation

/// A request with everything read from it that endpoints ask for.
struct LocalTenantCall: Sendable {
  let request: TransportRequest
  let route: LocalTenantRoute
  let policy: LocalPolicy?
  let origin: String
  let query: [String: String]
  let form: [String: String]
  let cookies: [String: String]
  let correlationID: String
  let now: Date

  init(_ request: TransportRequest, route: LocalTenantRoute, policy: LocalPolicy?, now: Date) {
    self.request = request
    self.route = route
    self.policy = policy
    self.now = now
    origin = LocalOrigin.text(request.url)
    query = LocalForm.pairs(query: request.url)
    form = LocalForm.pairs(request.body)
    cookies = Self.cookies(request.headers["Cookie"] ?? "")
    let wished = request.headers["client-request-id"] ?? query["client-request-id"] ?? ""
    correlationID = UUID(uuidString: wished).map { $0.uuidString.lowercased() } ?? RandomText.guid()
  }

  /// The URL of another endpoint of the same policy, in the form of the request's own.
  func url(_ path: String) -> String {
    let query = route.isQueryForm ? "?p=" + (route.policyID ?? "") : ""
    return origin + route.prefix + path + query
  }

  private static func cookies(_ header: String) -> [String: String] {
    let pairs = header.split(separator: ";").compactMap { pair -> (String, String)? in
      let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
    return Dictionary(pairs) { first, _ in first }
  }
}
