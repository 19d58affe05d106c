extension Connector: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Authority, client and policies: enough to tell two connectors apart.
  public var description: String {
    let policies = settings.policies.all.map(\.id).joined(separator: ", ")
    return "Connector(\(settings.authority), client \(settings.clientID), policies \(policies))"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror that shows the description only: the parts an app brings may hold anything.
  public var customMirror: Mirror { Mirror(self, children: ["connector": description]) }
}
