/// The path to a value: `policies.signIn.id`, `scopes[0]`.
struct SettingsPath: CustomStringConvertible {
  private(set) var description = ""
  /// The key of the file that the path begins with.
  private(set) var key: SettingsKey?

  init() {}

  init(_ key: SettingsKey) {
    description = key.rawValue
    self.key = key
  }

  func appending(key name: String) -> SettingsPath {
    var copy = self
    if description.isEmpty { copy.key = SettingsKey(rawValue: name) } else { copy.description += "." }
    copy.description += Shown.value(name) ?? "…"
    return copy
  }

  func appending(index: Int) -> SettingsPath {
    var copy = self
    copy.description += "[\(index)]"
    return copy
  }
}
