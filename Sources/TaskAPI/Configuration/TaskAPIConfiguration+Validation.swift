internal import Foundation

extension TaskAPIConfiguration {
  /// Called by the initialiser, and again by the client's, since the members can change in between.
  func validate() throws {
    let url = baseURL.absoluteURL
    guard Loopback.isAllowed(url) else {
      throw Self.invalid(
        "The base URL \(RedactedURL(url)) is neither https nor http to this machine.",
        "Give the https URL of the list of tasks.")
    }
    guard url.user == nil, url.password == nil else {
      throw Self.invalid("The base URL carries a user name or a password.", "Leave them out: a token is sent instead.")
    }
    guard Origin(url) != nil else {
      throw Self.invalid("The base URL \(RedactedURL(url)) has no plain host and port.", "Write host and port plainly.")
    }
    guard url.fragment == nil else {
      throw Self.invalid("The base URL has a fragment, which is never sent.", "Leave out the part from # on.")
    }
    try validatePort(of: url)
    guard maximumNameBytes > 0, limits.maximumBodyBytes > 0, limits.deadline > .zero, limits.idleTimeout > .zero else {
      throw Self.invalid("A limit of the task client is zero or less.", "Give limits above zero.")
    }
  }

  /// The tutorial's settings had `http://localhost/tasks:3000`, which is port 80 and a path with a colon.
  private func validatePort(of url: URL) throws {
    guard url.port == nil, let colon = url.path.lastIndex(of: ":") else { return }
    let digits = url.path[url.path.index(after: colon)...]
    guard (1...5).contains(digits.count), digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return }
    throw Self.invalid(
      "The base URL \(RedactedURL(url)) has its port at the end of the path.",
      "Put it behind the host: \(url.scheme ?? "https")://\(url.host ?? ""):\(digits)\(url.path[..<colon])")
  }

  private static func invalid(_ message: String, _ suggestion: String) -> TaskAPIError {
    TaskAPIError(.invalidConfiguration, message, recoverySuggestion: suggestion)
  }
}
