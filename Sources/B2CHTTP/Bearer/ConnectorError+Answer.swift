package import B2CCore
package import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

extension ConnectorError {
  /// A larger body is not searched for a code.
  private static let maximumBytes = 65_536

  /// Adds what an API's answer says: its status, the server's code, words and id of the request, and how long to wait.
  ///
  /// - Parameters:
  ///   - body: The answer's body.
  ///   - response: The answer's head.
  ///   - secrets: The tokens that were sent; one that the API repeats is hidden.
  ///   - now: The wall time, for a `Retry-After` that is a date.
  package mutating func add(_ body: Data, _ response: HTTPURLResponse, hiding secrets: [Secret], now: Date) {
    let status = response.statusCode
    self.status = status
    retryAfter = RetryAfter.seconds(in: response, now: now)
    let text = PrintableText(hiding: secrets)
    let ids = ["x-request-id", "request-id"].lazy.compactMap { response.value(forHTTPHeaderField: $0) }
    if let id = ids.first.flatMap(text.limited(to: 100).show) {
      correlationID = UUID(uuidString: id)
      message += " The server's id of the request is \(id)."
    }
    // A success has no words about a failure.
    guard !(200..<300).contains(status), body.count <= Self.maximumBytes,
      let fields = try? JSONReader.object(body)
    else { return }
    // restify's `code` and `message`, OAuth's `error` and `error_description`, Microsoft Graph's `error` object, and
    // RFC 9457's `title` and `detail`.
    let inner = fields["error"]?.object ?? [:]
    let codes = [inner["code"], fields["code"], fields["error"]]
    let words =
      [inner["message"]] + ["message", "error_description", "detail", "title"].map { fields[$0] }
    serverCode = codes.lazy.compactMap(Self.text).first.flatMap(text.limited(to: 100).show)
    serverDescription = words.lazy.compactMap(Self.text).first.flatMap(text.show)
  }

  private static func text(_ value: JSONValue?) -> String? {
    switch value {
    case .string(let text)?: text
    case .integer(let number)?: String(number)
    default: nil
    }
  }
}
