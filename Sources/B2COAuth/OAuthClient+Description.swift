extension OAuthClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Authority and client: enough to tell two clients apart.
  public var description: String { "OAuthClient(\(configuration.authority), client \(configuration.clientID))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror that shows the description only: the parts an app brings may hold anything.
  public var customMirror: Mirror { Mirror(self, children: ["client": description]) }
}
