import B2CAuthority
import B2CCore

// Finds keys with another name and keys inside a dictionary. Their values are not used, but they are checked as if they
// were in the right place, so that the developer sees all problems together.
extension SettingsReader {
  /// Returns the settings, unless an error was found.
  mutating func read() -> ConnectorSettings? {
    var misplaced: [SettingsProblem] = []
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) where SettingsKey(rawValue: name) == nil {
      let groups = Self.groups(in: value, of: name, at: Self.path(name))
      if groups.isEmpty { take(value, of: name, at: Self.path(name), isNested: false) }
      for (path, members) in groups {
        misplaced.append(
          SettingsProblem(
            "The keys inside the dictionary \(path) are not read.", at: path,
            recoverySuggestion: "Move them to the top level, or remove the dictionary if they are already there."))
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
          take(value, of: name, at: path + "." + Self.path(name), isNested: true)
        }
      }
    }
    let unknown = warnings
    var settings = readKeys()
    var judge = SettingsReader(fields: fields.merging(strays.mapValues(\.value)) { own, _ in own })
    _ = judge.readKeys()
    func isNested(_ problem: SettingsProblem) -> Bool? {
      strays[String(problem.keyPath.prefix { !".[".contains($0) })]?.isNested
    }
    let found = judge.errors.filter { isNested($0) != nil }
    errors = misplaced + errors.filter { strays[$0.keyPath]?.isNested != true } + found
    // A value under another name already has a warning about the name, so its other warnings are left out.
    warnings = unknown + judge.warnings.filter { isNested($0) != false }
    settings?.warnings = Array((warnings + misplaced + found).prefix(SettingsError.limit))
    return settings
  }

  /// Keeps a value for the key that its name probably means, and warns about the name.
  private mutating func take(_ value: Any, of name: String, at path: String, isNested: Bool) {
    if name.lowercased().contains("secret") || name.lowercased() == "password" {
      return warnings.append(
        SettingsProblem(
          "An app cannot keep a secret, because every user of the app can read it (RFC 8252 section 8.5).",
          at: path, recoverySuggestion: "Remove it, and register the app as a public client."))
    }
    let key = SettingsKey.meant(by: name)
    if key?.rawValue != name { warnUnknown(path, nearest: key?.rawValue) }
    guard let key, self[key] == nil, strays[key.rawValue] == nil else { return }
    // In the list of policies, a policy may be written as its id alone, so make it a list.
    strays[key.rawValue] = (key == .policies && value is String ? [value] : value, isNested)
  }

  /// Returns the dictionaries in a value that contain keys of the settings, with their paths.
  private static func groups(in value: Any, of name: String, at path: String) -> [(String, [String: Any])] {
    // A dictionary is a valid value for the key of a policy, so it is not searched.
    guard SettingsKey.meant(by: name)?.isOfPolicy != true else { return [] }
    let items = (value as? [Any] ?? []).enumerated().flatMap { groups(in: $1, of: name, at: "\(path)[\($0)]") }
    let members = value as? [String: Any] ?? [:]
    let known = members.keys.filter { SettingsKey.meant(by: $0) != nil }
    // A name that only other SDKs use may have another meaning, so a dictionary with only one is not reported.
    let isGroup = known.count > 1 || known.contains { SettingsKey(rawValue: $0) != nil }
    let inner = members.sorted { $0.key < $1.key }.flatMap { groups(in: $1, of: $0, at: path + "." + Self.path($0)) }
    return (isGroup ? [(path, members)] : []) + items + inner
  }

  mutating func warnUnknown(_ path: String, nearest: String?) {
    warnings.append(
      SettingsProblem("The key is unknown.", at: path, suggestion: nearest, otherwise: "Remove it if it is not used."))
  }
}
