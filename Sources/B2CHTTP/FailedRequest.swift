internal import B2CCore
internal import Foundation

/// The request that an error is about, without anything secret.
package struct FailedRequest: Sendable, Hashable {
  /// The method, such as `POST`.
  package let method: String
  /// Scheme, host, port and path; the query is left out.
  package let url: String

  /// Makes the description of a request from its parts; the URL must be without its query.
  package init(method: String, url: String) {
    self.method = method
    self.url = url
  }

  /// Makes the description of a request that failed.
  package init(_ request: TransportRequest) {
    self.init(method: request.method.rawValue, url: RedactedURL(request.url).withoutQuery)
  }
}

extension FailedRequest: CustomStringConvertible {
  /// Method and URL.
  package var description: String { "\(method) \(url)" }
}
