internal import Foundation

/// Every URL that the task client calls.
struct TaskURLs: Sendable {
  /// The most bytes that a query or path made of a task's text may have; common servers refuse more.
  static let maximumTextBytes = 4096

  /// The list's URL, without the slash at its end.
  let list: URL
  private let path: String
  private let query: String

  init(_ baseURL: URL) throws {
    let text = baseURL.absoluteURL.absoluteString
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var path = parts[0]
    while path.hasSuffix("/") { path.removeLast() }
    self.path = String(path)
    query = parts.count > 1 ? String(parts[1]) : ""
    // A server's root keeps its slash, which is the whole path.
    let isRoot = baseURL.absoluteURL.path.allSatisfy { $0 == "/" }
    list = try Self.url(self.path + (isRoot ? "/" : ""), query)
  }

  func list(adding pairs: [(name: String, value: String)]) throws -> URL {
    try Self.url(path, query, pairs)
  }

  /// A URL below the list's, its segments escaped.
  func item(_ segments: String..., adding pairs: [(name: String, value: String)] = []) throws -> URL {
    // An escaped dot is a dot: servers and clients alike drop such segments, and the rest names something else.
    guard segments.allSatisfy({ !["", ".", ".."].contains($0) }) else {
      throw TaskAPIError(
        .invalidItem, "The task's id, owner or text is empty, “.” or “..”, which no path can name.",
        recoverySuggestion: "Choose the deletion .body or .query.")
    }
    return try Self.url(([path] + segments.map(FormEncoding.escape)).joined(separator: "/"), query, pairs)
  }

  private static func url(
    _ path: String, _ query: String, _ pairs: [(name: String, value: String)] = []
  ) throws -> URL {
    let queries = [query, FormEncoding.encode(pairs)].filter { !$0.isEmpty }
    let text = queries.isEmpty ? path : path + "?" + queries.joined(separator: "&")
    guard let url = URL(string: text), Loopback.isAllowed(url) else {
      throw TaskAPIError(.invalidConfiguration, "The base URL and the task's id or text do not make a URL.")
    }
    return url
  }
}
