internal import B2CCore
public import Foundation

/// The two calls of a sign-in without a presenter.
extension Connector {
  /// Begins a sign-in whose page you show yourself.
  ///
  /// Use it on a server, whose users may return to any instance, and in an app that the system may end while the
  /// browser is open. If the user asks for a new password, ``finishSignIn(_:callback:)`` throws an error with code
  /// `passwordResetRequested`, and you begin another sign-in with the password-reset policy. See <doc:SignIn> and
  /// <doc:Servers>.
  ///
  /// ```swift
  /// let pending = try await connector.beginSignIn()
  /// let stored = try JSONEncoder().encode(pending)    // secret: in the keychain, or sealed in a cookie
  /// await openURL(pending.url)
  /// ```
  ///
  /// - Parameters:
  ///   - policy: The policy. With `nil`, it is the default policy, as in ``signIn(policy:options:)``.
  ///   - options: The options of this sign-in.
  /// - Returns: The sign-in to keep until the browser returns, which is secret.
  /// - Throws: ``ConnectorError``: `configuration` for something that the developer can fix; `network`,
  ///   `serviceUnavailable`, `throttled`, `timedOut` or `invalidResponse` if the metadata could not be fetched.
  public func beginSignIn(
    policy: Policy? = nil, options: SignInOptions = SignInOptions()
  ) async throws -> PendingSignIn {
    try await asConnectorError { try await engine.signIn.begin(policy: configured(policy), options: options) }
  }

  /// Finishes a sign-in that this connector, or another one with the same settings, has begun.
  ///
  /// A callback works only once, because the provider accepts its code only once (RFC 6749 section 4.1.2).
  ///
  /// ```swift
  /// let pending = try JSONDecoder().decode(PendingSignIn.self, from: stored)
  /// let user = try await connector.finishSignIn(pending, callback: url).user
  /// ```
  ///
  /// - Parameters:
  ///   - pending: The sign-in that was begun.
  ///   - callback: The whole URL that the browser returned to, unchanged.
  /// - Returns: The same as ``signIn(policy:options:)``.
  /// - Throws: ``ConnectorError``: `configuration` if the sign-in began with other settings, `timedOut` if it began
  ///   more than an hour ago, `invalidResponse` if the callback belongs to another sign-in; the errors of
  ///   ``signIn(policy:options:)``.
  @discardableResult
  public func finishSignIn(_ pending: PendingSignIn, callback: URL) async throws -> SignInResult {
    try await asConnectorError { try await engine.signIn.finish(pending, callback: callback) }
  }
}
