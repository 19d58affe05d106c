package import B2CCore
package import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// The reason for which an API refused the token, or none was sent.
package struct APIAuthorizationError: CodedError, Sendable {
  /// The kind of failure.
  package var code: ErrorCode
  /// The description, without secrets.
  package var message: String
  /// The way to fix it.
  package var recoverySuggestion: String?
  /// The challenge that the API answered with, if any.
  package var challenge: AuthenticationChallenge?
  /// The body of the API's answer.
  package var body = Data()
  /// The head of the API's answer, if there was one.
  package var response: HTTPURLResponse?

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: The description, without secrets.
  ///   - recoverySuggestion: The way to fix it.
  ///   - challenge: The challenge that the API answered with.
  ///   - answer: The API's answer.
  package init(
    _ code: ErrorCode, _ message: String, recoverySuggestion: String? = nil, challenge: AuthenticationChallenge? = nil,
    answer: (body: Data, response: HTTPURLResponse)? = nil
  ) {
    self.code = code
    self.message = message
    self.recoverySuggestion = recoverySuggestion
    self.challenge = challenge
    body = answer?.body ?? Data()
    response = answer?.response
  }

  /// The answer's status, if there was an answer.
  package var status: Int? { response?.statusCode }
  /// The part of the server that asked for a token.
  package var realm: String? { challenge?.realm }
  /// The API's own code, such as `invalid_token`, as it may be shown: a server may write the token there that it was sent.
  package var serverError: String? { challenge?.error.flatMap { PrintableText(limit: 100).show($0) } }
  /// The scopes that the API wants, separated by spaces.
  package var scope: String? { challenge?.scope }
  /// The claims that the API wants, as JSON for the `claims` parameter of the next sign-in.
  package var claims: String? { challenge?.claims }
}

// The description has neither the challenge nor the answer.
extension APIAuthorizationError: Redacted {}

extension APIAuthorizationError {
  /// Makes the error of an answer after which another token of the same kind would not help; `nil` for any other answer.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - secrets: The tokens that were sent; one that the API repeats is hidden in the error's texts.
  init?(definite answer: (body: Data, response: HTTPURLResponse), hiding secrets: [Secret]) {
    let status = answer.response.statusCode
    guard status == 401 || status == 403,
      let challenge = Self.challenge(of: answer.response)?.hiding(secrets)
    else { return nil }
    if challenge.parameters["claims"] != nil {
      self.init(
        .claimsRequired, "The API answered \(status) and wants a token with further claims.",
        recoverySuggestion: "Ask for a token with the error's claims; if only a sign-in helps, sign in with them.",
        challenge: challenge, answer: answer)
    } else if challenge.error == "insufficient_scope" {
      let scope = challenge.scope.flatMap { Self.excerpt($0, secrets) }.map { " “\($0)”" } ?? ""
      self.init(
        .insufficientScope, "The API answered \(status): the token lacks the scope\(scope).",
        recoverySuggestion: "Ask for a token with that scope.", challenge: challenge, answer: answer)
    } else {
      return nil
    }
  }

  private static func challenge(of response: HTTPURLResponse) -> AuthenticationChallenge? {
    AuthenticationChallenge.bearer(in: response.value(forHTTPHeaderField: "WWW-Authenticate"))
  }

  /// A refusal that a new token did not change, or for which there is no new token.
  init(refused answer: (body: Data, response: HTTPURLResponse), isReplacement: Bool, hiding secrets: [Secret]) {
    let challenge = Self.challenge(of: answer.response)?.hiding(secrets)
    let reason = challenge?.error.flatMap { Self.excerpt($0, secrets) }.map { " (\($0))" } ?? ""
    self.init(
      .unauthorized,
      isReplacement
        ? "The API answered 401\(reason) to a new token too."
        : "The API answered 401\(reason), and there is no newer token to send.",
      recoverySuggestion: "Check that the token's audience and issuer are those that the API expects.",
      challenge: challenge, answer: answer)
  }

  /// A request that must not carry a token.
  init(notAllowed url: URL?, allowed: Set<Origin>) {
    let origins = allowed.map(\.description).sorted().joined(separator: ", ")
    let place = url.flatMap(Origin.init)?.description ?? "such a URL"
    self.init(
      .originNotAllowed,
      "No token is sent to \(place): the allowed origins are \(origins.isEmpty ? "none" : origins).",
      recoverySuggestion: "Add the origin to the allowed ones if it is an API that may see the user's token.")
  }

  /// A request that would send a token in plain text.
  init(plainTextOrigin origin: Origin) {
    self.init(
      .originNotAllowed, "No token is sent to \(origin): the connection is not encrypted.",
      recoverySuggestion: "Use https; plain http is allowed to this machine only.")
  }

  private static func excerpt(_ text: String, _ secrets: [Secret]) -> String? {
    PrintableText(hiding: secrets).show(Array(text.utf8))
  }
}
