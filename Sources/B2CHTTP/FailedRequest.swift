internal import B2CCore
internal import Foundation

/// The request that an error is about, without anything secret.
package struct FailedRequest: Sendable, Hashable {
  /// The method, such as `POST`.
  package let method: String
  /// Scheme, host, port and path; the query is left out.
  package let url: String
  /// How often it was sent.
  package let attempts: Int

  /// Makes the description of a request from its parts; the URL must be without its query.
  package init(method: String, url: String, attempts: Int) {
    self.method = method
    self.url = url
    self.attempts = attempts
  }

  /// Makes the description of a request that failed.
  package init(_ request: TransportRequest, attempts: Int = 1) {
    self.init(
      method: request.method.rawValue, url: RedactedURL(request.url).withoutQuery, attempts: attempts)
  }
}

extension FailedRequest: CustomStringConvertible {
  /// Method and URL.
  package var description: String { "\(method) \(url)" }
}
