package import Foundation

/// A whole request as it came, nothing decoded.
package struct LoopbackRequest: Sendable {
  /// The method, as written.
  package let method: String
  /// The request target, as written.
  package let target: String
  /// The target's path, still percent-encoded; `*` for a request about the server itself.
  package let path: String
  /// What follows the first `?` of the target, still percent-encoded.
  package let query: String?
  package let headers: HTTPHeaders
  /// The body, without its chunk framing.
  package let body: Data

  package init(method: String, target: String, headers: HTTPHeaders, body: Data) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    let parts = Self.pathAndQuery(of: target).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(parts[0])
    query = parts.count > 1 ? String(parts[1]) : nil
  }

  /// Leaves scheme and authority of an absolute target out (RFC 9112 section 3.2.2).
  private static func pathAndQuery(of target: String) -> Substring {
    guard !target.hasPrefix("/"), let scheme = target.range(of: "://") else { return target[...] }
    let rest = target[scheme.upperBound...].drop { $0 != "/" && $0 != "?" }
    return rest.hasPrefix("/") ? rest : "/" + rest
  }
}
