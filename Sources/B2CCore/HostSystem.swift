/// The kind of system that a process runs on, as far as the advice in an error depends on it.
package enum HostSystem: Sendable, Hashable, CaseIterable {
  /// A Mac, also with Mac Catalyst: an app may have the App Sandbox, and may have no provisioning profile.
  case mac
  /// iOS, tvOS, watchOS or visionOS: every app is signed with a profile, and the device may have no passcode.
  case device
  /// Any other.
  case other
}
