import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that holds requests back until a test lets them go, or answers them itself.
final class GatedTransport: HTTPTransport {
  typealias Rule = @Sendable (URLRequest) async throws -> LocalResponse?

  private let next: any HTTPTransport
  private let rules = Locked<[Rule]>([])
  private let log = Locked<[URLRequest]>([])

  init(_ next: any HTTPTransport) {
    self.next = next
  }

  /// The requests so far.
  var requests: [URLRequest] { log.withLock { $0 } }

  /// The forms sent to the token endpoint so far, as name and value.
  var tokenForms: [[String: String]] {
    requests.filter(\.isTokenRequest).map(\.form)
  }

  /// Adds a rule; the first that answers is used.
  func intercept(_ rule: @escaping Rule) {
    rules.withLock { $0.append(rule) }
  }

  /// Answers token requests of a grant type with a status and a JSON text.
  func answerTokens(_ status: Int, _ body: String, contentType: String = "application/json", grant: String? = nil) {
    intercept { request in
      guard request.isTokenRequest, grant == nil || request.form["grant_type"] == grant else { return nil }
      return LocalResponse(status: status, headers: ["Content-Type": contentType], body: Data(body.utf8))
    }
  }

  /// Removes all rules.
  func letEverythingPass() {
    rules.withLock { $0 = [] }
  }

  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    log.withLock { $0.append(request) }
    for rule in rules.withLock({ $0 }) {
      if let response = try await rule(request) { return try response.answer(to: request.url) }
    }
    return try await next.send(request, limits: limits)
  }
}

extension URLRequest {
  var isTokenRequest: Bool { method == "POST" && url?.path.hasSuffix("/token") == true }

  var form: [String: String] {
    let pairs = FormEncoding.decode(String(decoding: httpBody ?? Data(), as: UTF8.self))
    return Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
  }
}
