internal import B2CCore
package import Foundation

/// The address, dialect and limits of a task server.
package struct TaskAPIConfiguration: Sendable, Hashable {
  /// The URL of the list of tasks; its query, if any, is sent with every request.
  package var baseURL: URL
  /// The field names and routes of the server.
  package var dialect: TaskDialect
  /// The most bytes of UTF-8 in a title that is sent.
  package var maximumNameBytes = 65_536
  /// The deadline of a call with all its tries, and the largest answer.
  package var limits = TaskAPIConfiguration.standardLimits
  /// The rules by which a failed request is sent again.
  package var retry = RetryPolicy()

  /// 32 MiB of body, 30 seconds in all, 15 seconds of silence.
  package static let standardLimits = TransportLimits(maximumBodyBytes: 32 << 20)

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - baseURL: The URL of the list of tasks: https, or http to this machine.
  ///   - dialect: The field names and routes of the server.
  /// - Throws: ``TaskAPIError`` with ``ErrorCode/invalidConfiguration`` when the URL is neither https nor http to this
  ///   machine, has no host, contains user name, password or fragment, or has its port in the path.
  package init(baseURL: URL, dialect: TaskDialect = .tutorial) throws(TaskAPIError) {
    self.baseURL = baseURL
    self.dialect = dialect
    try validate()
  }
}

extension TaskAPIConfiguration {
  /// Called by the client's initialiser too, since the properties can change in between.
  func validate() throws(TaskAPIError) {
    let url = baseURL.absoluteURL
    guard Loopback.isAllowed(url) else {
      throw Self.invalid(
        "The base URL \(RedactedURL(url)) is neither https nor http to this machine.",
        "Use the https URL of the list of tasks.")
    }
    guard url.user == nil, url.password == nil else {
      throw Self.invalid("The base URL contains a user name or password.", "Remove them: a token is sent instead.")
    }
    guard Origin(url) != nil else {
      throw Self.invalid("The base URL \(RedactedURL(url)) has no plain host and port.", "Write host and port plainly.")
    }
    guard url.fragment == nil else {
      throw Self.invalid("The base URL has a fragment, which is never sent.", "Remove the part from # on.")
    }
    try validatePort(of: url)
    guard maximumNameBytes > 0, limits.maximumBodyBytes > 0, limits.deadline > .zero, limits.idleTimeout > .zero else {
      throw Self.invalid("A limit of the task client is zero or less.", "Use limits above zero.")
    }
  }

  private func validatePort(of url: URL) throws(TaskAPIError) {
    guard let (path, port) = URLComponents(url: url, resolvingAgainstBaseURL: true)?.portInPath else { return }
    throw Self.invalid(
      "The base URL \(RedactedURL(url)) has its port at the end of the path.",
      "Write it after the host: \(url.scheme ?? "https")://\(url.host ?? ""):\(port)\(path)")
  }

  private static func invalid(_ message: String, _ suggestion: String) -> TaskAPIError {
    TaskAPIError(.invalidConfiguration, message, recoverySuggestion: suggestion)
  }
}
