internal import B2CCore
internal import Foundation

extension APIAuthorizationError {
  /// What an answer says about the token, when asking for the same kind of token again would not help; `nil` otherwise.
  ///
  /// - Parameters:
  ///   - response: The answer.
  ///   - secrets: The tokens that were sent; an API that gives one back does not get it into the error's words.
  init?(definite response: TransportResponse, hiding secrets: [Secret]) {
    guard response.status == 401 || response.status == 403,
      let challenge = AuthenticationChallenge.bearer(in: response.headers)?.hiding(secrets)
    else { return nil }
    if challenge.parameters["claims"] != nil {
      self.init(
        .claimsRequired, "The API answered \(response.status) and wants a token with further claims.",
        recoverySuggestion: "Sign the user in with the error's claims.", challenge: challenge, response: response)
    } else if challenge.error == "insufficient_scope" {
      let scope = challenge.scope.flatMap { Self.excerpt($0, secrets) }.map { " “\($0)”" } ?? ""
      self.init(
        .insufficientScope, "The API answered \(response.status): the token lacks the scope\(scope).",
        recoverySuggestion: "Ask for a token with that scope.", challenge: challenge, response: response)
    } else {
      return nil
    }
  }

  /// A refusal that a new token did not change.
  init(refused response: TransportResponse, hiding secrets: [Secret]) {
    let challenge = AuthenticationChallenge.bearer(in: response.headers)?.hiding(secrets)
    let reason = challenge?.error.flatMap { Self.excerpt($0, secrets) }.map { " (\($0))" } ?? ""
    self.init(
      .unauthorized, "The API answered 401\(reason) to a new token too.",
      recoverySuggestion: "Check that the token's audience and policy are those that the API expects.",
      challenge: challenge, response: response)
  }

  /// A request that must not carry a token.
  init(notAllowed url: URL, allowed: Set<Origin>) {
    let origins = allowed.map(\.description).sorted().joined(separator: ", ")
    let place = Origin(url)?.description ?? "such a URL"
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
    ServerText(hiding: secrets).show(Array(text.utf8))
  }
}
