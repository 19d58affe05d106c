internal import B2CCore
package import B2CHTTP
package import B2CTestKit
package import Foundation

/// A transport that holds requests back until a test lets them go, or answers them itself.
package final class GatedTransport: HTTPTransport {
  package typealias Rule = @Sendable (URLRequest) async throws -> LocalResponse?

  private let next: any HTTPTransport
  private let rules = Locked<[Rule]>([])
  private let log = Locked<[URLRequest]>([])

  package init(_ next: any HTTPTransport) { self.next = next }

  package var requests: [URLRequest] { log.withLock { $0 } }

  /// The forms sent to the token endpoint so far, as name and value.
  package var tokenForms: [[String: String]] { requests.filter(\.isTokenRequest).map(\.form) }

  package func intercept(_ rule: @escaping Rule) { rules.withLock { $0.append(rule) } }

  /// Answers token requests of a grant type with a status and a JSON text.
  package func answerTokens(
    _ status: Int, _ body: String, contentType: String = "application/json", grant: String? = nil
  ) {
    intercept { request in
      guard request.isTokenRequest, grant == nil || request.form["grant_type"] == grant else { return nil }
      return LocalResponse(status: status, headers: ["Content-Type": contentType], body: Data(body.utf8))
    }
  }

  /// Never returns from requests of a kind, also when it is cancelled; the gate counts them.
  @discardableResult
  package func hang(at target: LocalFaultTarget) -> TestGate {
    let never = TestGate()
    intercept { request in
      // A task of its own knows nothing of a cancellation.
      if target.contains(request) { await Task { try? await never.wait() }.value }
      return nil
    }
    return never
  }

  package func letEverythingPass() { rules.withLock { $0 = [] } }

  package func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    log.withLock { $0.append(request) }
    for rule in rules.withLock({ $0 }) {
      if let response = try await rule(request) { return try response.answer(to: request.url) }
    }
    return try await next.send(request, limits: limits)
  }
}

extension URLRequest {
  package var isTokenRequest: Bool { method == "POST" && url?.path.hasSuffix("/token") == true }

  package var form: [String: String] {
    let pairs = FormEncoding.decode(String(decoding: httpBody ?? Data(), as: UTF8.self))
    return Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
  }
}
