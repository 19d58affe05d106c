/// How far a sign-out goes.
public enum SignOutReach: Sendable, Hashable {
  /// The tokens on this device.
  ///
  /// The session in the browser stays: the next sign-in may need no password.
  case device
  /// This device, and the session at the server: a page is shown for it.
  case server
}
