internal import B2CAuthority
internal import B2CCore
public import Foundation

/// A sign-in that has begun and whose callback has not come: any connector with the same settings can finish it.
///
/// It is a secret until the sign-in has ended, since it proves who began it. A server seals it in a cookie of the browser
/// that began the sign-in; an app keeps it where it keeps its tokens. Coding writes everything, ``url`` too.
public struct PendingSignIn: Codable, Sendable {
  /// The URL of the sign-in page.
  public let url: URL

  let authority: String
  let clientID: String
  let redirectURI: URL
  let policyID: String?
  let policyKind: String?
  let scopes: [String]
  /// Who has to sign in; `nil` when anyone may.
  let userID: String?
  let state: Secret
  let nonce: Secret
  let verifier: Secret
  let correlationID: UUID
  let begunAt: Date
}

extension PendingSignIn {
  /// How long the user may take, in seconds.
  private static let lifetime: TimeInterval = 3_600

  /// The policy of the sign-in, after a check that it can be finished with these settings, and now.
  ///
  /// - Throws: ``ConnectorError`` with code `configuration` for other settings, `timedOut` after an hour.
  func policy(for configuration: OAuthConfiguration, at now: Date) throws -> Policy? {
    guard authority == configuration.authority.cacheID, ASCIIText.isSame(clientID, configuration.clientID),
      redirectURI == configuration.redirectURI
    else {
      throw ConnectorError(
        own: .configuration, "The sign-in was begun with another authority, client ID or redirect URI.",
        recoverySuggestion: "Begin it again; who begins and who finishes a sign-in need the same settings.")
    }
    guard now.timeIntervalSince(begunAt) <= Self.lifetime else {
      throw ConnectorError(
        own: .timedOut, "The sign-in was begun more than an hour ago.", recoverySuggestion: "Begin it again.",
        isRetryable: false)
    }
    return try policyID.map { try Policy(id: $0, kind: policyKind.flatMap(Policy.Kind.init) ?? .signUpOrSignIn) }
  }
}

extension PendingSignIn: Redacted {
  /// The policy and the time; nothing secret.
  public var description: String { "PendingSignIn(policy \(policyID ?? "none"), begun \(begunAt))" }
}
