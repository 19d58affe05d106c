internal import B2CCore
public import Foundation

/// A sign-in in two calls.
extension Connector {
  /// Begins a sign-in whose page the caller shows.
  ///
  /// For servers, whose visitors come back to any instance, and for apps that the system may end while the browser is open.
  /// No presenter takes part. What follows a request for a new password is the caller's: the error of
  /// ``finishSignIn(_:callback:)`` has code `passwordResetRequested`.
  ///
  /// ```swift
  /// let pending = try await connector.beginSignIn()
  /// let stored = try JSONEncoder().encode(pending)    // secret: in the keychain, or sealed in a cookie
  /// await openURL(pending.url)
  /// ```
  ///
  /// - Parameters:
  ///   - policy: The policy; the default one when `nil`, as ``signIn(policy:options:)``.
  ///   - options: What to ask for beyond the settings.
  /// - Returns: What to keep until the browser comes back; secret.
  /// - Throws: ``ConnectorError``: `configuration` for what the developer can fix; `network`,
  ///   `serviceUnavailable`, `throttled`, `timedOut`, `invalidResponse` when the metadata could not be fetched.
  public func beginSignIn(
    policy: Policy? = nil, options: SignInOptions = SignInOptions()
  ) async throws -> PendingSignIn {
    try await asConnectorError { try await engine.signIn.begin(policy: configured(policy), options: options) }
  }

  /// Finishes a sign-in that this or another connector with the same settings has begun.
  ///
  /// A callback works once: its code does, at the provider (RFC 6749 section 4.1.2).
  ///
  /// ```swift
  /// let pending = try JSONDecoder().decode(PendingSignIn.self, from: stored)
  /// let user = try await connector.finishSignIn(pending, callback: url).user
  /// ```
  ///
  /// - Parameters:
  ///   - pending: The sign-in that was begun.
  ///   - callback: The whole URL that the browser came back to, unchanged.
  /// - Returns: As ``signIn(policy:options:)``.
  /// - Throws: ``ConnectorError``: `configuration` when it was begun with other settings, `timedOut` when that was more than
  ///   an hour ago, `invalidResponse` when the callback is not of this sign-in; otherwise as ``signIn(policy:options:)``.
  @discardableResult
  public func finishSignIn(_ pending: PendingSignIn, callback: URL) async throws -> SignInResult {
    try await asConnectorError { try await engine.signIn.finish(pending, callback: callback) }
  }
}
