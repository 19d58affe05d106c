internal import B2CCore
package import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// What an API's refusal of a token means (RFC 6750 section 3.1).
extension ConnectorError {
  /// Makes the error of an answer after which another token of the same kind would not help; `nil` for any other answer.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - request: The request.
  ///   - secrets: The tokens that were sent; one that the API repeats is hidden in the error's texts.
  ///   - now: The wall time, for a `Retry-After` that is a date.
  package init?(
    definite answer: (body: Data, head: HTTPURLResponse), of request: URLRequest, hiding secrets: [Secret], now: Date
  ) {
    let status = answer.head.statusCode
    guard status == 401 || status == 403, let challenge = AuthenticationChallenge(answer.head) else { return nil }
    if challenge.wantsClaims {
      self.init(
        own: .claimsRequired, "The API answered \(status) and wants a token with further claims.",
        recoverySuggestion: "Ask for a token with the error's claims; if only a sign-in helps, sign in with them.")
    } else if challenge.error == "insufficient_scope" {
      let scope = challenge.scope.flatMap(PrintableText(hiding: secrets).show).map { " “\($0)”" } ?? ""
      self.init(
        own: .insufficientScope, "The API answered \(status): the token lacks the scope\(scope).",
        recoverySuggestion: "Ask for a token with that scope.")
    } else {
      return nil
    }
    add(challenge, answer, of: request, hiding: secrets, now: now)
  }

  /// Makes the error of a refusal that a new token did not change, or for which there is no new token.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - request: The request.
  ///   - isReplacement: Whether the refused token has replaced another one.
  ///   - secrets: The tokens that were sent; one that the API repeats is hidden in the error's texts.
  ///   - now: The wall time, for a `Retry-After` that is a date.
  package init(
    refusal answer: (body: Data, head: HTTPURLResponse), of request: URLRequest, isReplacement: Bool,
    hiding secrets: [Secret], now: Date
  ) {
    let challenge = AuthenticationChallenge(answer.head)
    let reason = challenge?.error.flatMap(PrintableText(hiding: secrets).show).map { " (\($0))" } ?? ""
    self.init(
      own: .unauthorized,
      isReplacement
        ? "The API answered 401\(reason) to a new token too."
        : "The API answered 401\(reason), and there is no newer token to send.",
      recoverySuggestion: "Check that the token's audience and issuer are those that the API expects.")
    add(challenge, answer, of: request, hiding: secrets, now: now)
  }

  private mutating func add(
    _ challenge: AuthenticationChallenge?, _ answer: (body: Data, head: HTTPURLResponse), of request: URLRequest,
    hiding secrets: [Secret], now: Date
  ) {
    oauthError = challenge?.error.flatMap(PrintableText(hiding: secrets, limit: 100).show)
    claims = challenge?.claims(hiding: secrets)
    self = about(request)
    add(answer.body, answer.head, hiding: secrets, now: now)
  }
}
