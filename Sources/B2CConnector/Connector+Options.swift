internal import B2CCore
public import Foundation

extension Connector {
  /// The options of a connector, which you set when you create it.
  ///
  /// See <doc:Calls>.
  public struct Options: Sendable {
    package init() {}

    /// The field names and routes of the task server, by default `.tutorial`.
    ///
    /// See <doc:TaskAPI>.
    public var taskDialect = TaskDialect.tutorial
    /// The limits of a call to the task server with all its attempts, by default 30 seconds and 32 MiB.
    public var taskLimits = TaskAPIClient.standardLimits
    /// The limits of requests for tokens, metadata and keys, by default 30 seconds and 1 MiB.
    ///
    /// They also apply to ``Connector/data(for:scopes:user:limits:)`` if you pass no others. See <doc:Calls>.
    public var limits = TransportLimits.standard
    /// The rules for repeating a failed request, by default three attempts.
    ///
    /// They apply to the provider, the task server and any API. Token requests are sent only once. See <doc:Calls>.
    public var retry = RetryPolicy()
    /// How long before its expiry a token is renewed, by default 300 seconds.
    ///
    /// The margin is at most half of the token's lifetime, and a negative one counts as zero. See <doc:Calls>.
    public var expiryMargin = Duration.seconds(300)
    /// The error of this device's clock that is allowed when an id_token is verified, by default 300 seconds.
    ///
    /// The SDK measures the difference between the device's clock and the server's, and allows this error on top of
    /// that. A negative value counts as zero. See <doc:Calls>.
    public var clockSkew = Duration.seconds(300)
    /// The additional APIs that ``Connector/data(for:scopes:user:limits:)`` may send tokens to, by default none.
    ///
    /// Only their origins count, for example `https://graph.microsoft.com`. The origin of the task API is always
    /// allowed. See <doc:CallYourAPI>.
    public var allowedAPIs: [URL] = []
    /// Whether this process may use refresh tokens, by default `true`.
    ///
    /// With `false`, calls return stored access tokens until these expire, and then throw
    /// ``ErrorCode/refreshNotAllowed``. An app extension never refreshes, whatever you set here. See <doc:Platforms>.
    public var refreshesTokens = true
    /// The closure that asks the user before a refresh token is used, for example with Face ID, by default none.
    ///
    /// It runs once for all calls that wait for the token, before anything is sent. Set it in every connector of the
    /// process. A token is then renewed only in its last minute, except with `forceRefresh` or `claims`.
    ///
    /// If it throws, the calls use the old token while that is valid, and otherwise throw ``ErrorCode/userCancelled``.
    /// It must not call the connector, and it must return, because the calls for that user wait for it. See
    /// <doc:AtLaunch>.
    public var beforeRefresh: (@Sendable (UserInfo) async throws -> Void)?
  }
}
