import B2CCore
public import Foundation

extension Endpoints {
  /// Adds parameters behind those that a URL already has.
  ///
  /// Everything but `A-Z a-z 0-9 - . _ ~` is percent-encoded, so that `+`, `;`, `'` and letters beyond ASCII arrive as they
  /// are with every reader. A fragment is dropped: an endpoint has none (RFC 6749 section 3.1).
  ///
  /// - Parameters:
  ///   - parameters: Names and values, in order; not yet encoded.
  ///   - url: The URL; its own query stays as it is, in front.
  /// - Returns: The URL with both.
  public static func appending(_ parameters: [(name: String, value: String)], to url: URL) -> URL {
    guard !parameters.isEmpty else { return url }
    let text = url.absoluteString.prefix { $0 != "#" }
    let joint = !text.contains("?") ? "?" : text.hasSuffix("?") || text.hasSuffix("&") ? "" : "&"
    return URL(string: text + joint + FormEncoding.encode(parameters)) ?? url
  }

  /// Sees to it that an endpoint named by metadata carries the policy when policies stand in the query.
  ///
  /// - Parameter endpoint: The endpoint as metadata names it, perhaps with a query of its own.
  /// - Returns: The endpoint with `p` added, unless the policy is in its path or it has a `p` already.
  public func carryingPolicy(_ endpoint: URL) -> URL {
    guard kind == .b2c, form == .query, let policy else { return endpoint }
    let text = endpoint.absoluteString.prefix { $0 != "#" }
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let isInPath = parts[0].split(separator: "/").contains { FormEncoding.unescape($0).lowercased() == policy.key }
    let isInQuery = parts.count > 1 && FormEncoding.decode(parts[1]).contains { $0.name.lowercased() == "p" }
    return isInPath || isInQuery ? endpoint : Self.appending([("p", policy.id)], to: endpoint)
  }
}
