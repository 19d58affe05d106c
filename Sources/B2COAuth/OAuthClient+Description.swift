public import B2CCore

extension OAuthClient: Redacted {
  /// Authority and client: enough to tell two clients apart.
  public var description: String { "OAuthClient(\(configuration.authority), client \(configuration.clientID))" }
}
