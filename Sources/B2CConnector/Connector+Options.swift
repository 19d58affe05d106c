internal import B2CCore
public import Foundation

extension Connector {
  /// The options of a connector, filled in from the settings.
  ///
  /// Each says which guide of the documentation uses it.
  public struct Options: Sendable {
    package init() {}

    /// The field names and routes of the task server; `.tutorial` unless set.
    ///
    /// Guide "The task API", Choose the dialect of your server.
    public var taskDialect = TaskDialect.tutorial
    /// The deadline of a call to the task server with all its tries, and the largest answer; 30 seconds and 32 MiB.
    ///
    /// Guide "Calls and options", Limits and lifetimes.
    public var taskLimits = TaskAPIClient.standardLimits
    /// The limits of token, metadata and key requests; 30 seconds and 1 MiB.
    ///
    /// Guide "Calls and options", Limits and lifetimes.
    public var limits = TransportLimits.standard
    /// The rules by which a failed request is sent again, to the sign-in service, the task server and any API.
    ///
    /// Guide "Calls and options", Retries. Token requests are sent once.
    public var retry = RetryPolicy()
    /// How long before its end a token is renewed; at most half of the token's life counts.
    ///
    /// 300 seconds; a negative margin counts as zero. Guide "Calls and options", Limits and lifetimes.
    public var expiryMargin = Duration.seconds(300)
    /// How far this device's clock may be off when an id_token is checked, beside the measured offset.
    ///
    /// 300 seconds; a negative one counts as zero. Guide "Calls and options", Limits and lifetimes.
    public var clockSkew = Duration.seconds(300)
    /// Further APIs that ``Connector/data(for:scopes:user:limits:)`` may send tokens to.
    ///
    /// Their origins count, such as `https://graph.microsoft.com`. The task API's origin is always allowed.
    /// Guide "Call your API".
    public var allowedAPIs: [URL] = []
    /// Whether this process may use refresh tokens; `true`.
    ///
    /// With `false`, stored access tokens are returned until they expire; then calls throw
    /// ``ErrorCode/refreshNotAllowed``. An app extension never uses them, whatever is set here. Guide "Widgets and
    /// extensions".
    public var refreshesTokens = true
    /// What the user has to agree to before a refresh token is used, such as Face ID; `nil` unless set.
    ///
    /// It runs once for all calls that wait for the token, before anything is sent; set it in every connector of the
    /// process. With it a token is renewed only in its last minute, except with `forceRefresh` and `claims`. What it throws ends
    /// the calls with ``ErrorCode/userCancelled``, unless the token has not expired, which is served then. It must not call
    /// the connector, and it has to return: until then, the calls for that user wait. Guide "Face ID and Touch ID".
    public var beforeRefresh: (@Sendable (UserInfo) async throws -> Void)?
  }
}
