import B2CAuthority
import B2CCore

// Keys that have another name or are too deep. Their values are not used, but judged, so that all problems come together.
extension SettingsReader {
  /// Returns the settings, unless an error was found.
  mutating func read() -> ConnectorSettings? {
    let (strays, nested) = findStrays()
    let unknown = warnings
    var settings = readKeys()
    if !strays.isEmpty {
      func root(_ problem: SettingsProblem) -> String { String(problem.keyPath.prefix { $0 != "." && $0 != "[" }) }
      var other = SettingsReader(fields: fields.merging(strays) { own, _ in own })
      _ = other.readKeys()
      // The dictionary that a key is in was reported in place of the key.
      errors.removeAll { nested.contains($0.keyPath) }
      let found = other.errors.filter { strays[root($0)] != nil }
      // A policy's key decides what the authority is, under whatever name.
      let judged = nested.union(fields.keys).union([SettingsKey.authority.rawValue])
      warnings = unknown + other.warnings.filter { judged.contains(root($0)) }
      if settings == nil { errors += found } else { warnings += found }
    }
    settings?.warnings = Array(warnings.prefix(SettingsError.limit))
    return settings
  }

  /// Reports every key that is none of the settings, and returns the values of those that mean one by its right name.
  ///
  /// `nested` has the right names of those that are inside another dictionary.
  private mutating func findStrays() -> (fields: [String: Any], nested: Set<String>) {
    var strays: [String: Any] = [:]
    var nested: Set<String> = []
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) where SettingsKey(rawValue: name) == nil {
      let path = Self.path(name)
      if name.lowercased().contains("secret") || name.lowercased() == "password" {
        warnings.append(
          SettingsProblem(
            "An app cannot keep a secret: every user of the app can read it (RFC 8252 section 8.5).",
            at: path, recoverySuggestion: "Remove it, and register the app as a public client."))
        continue
      }
      let inner = SettingsKey.meant(by: name) == nil ? Self.dictionaries(in: value, at: path) : []
      for (path, fields) in inner {
        report(dictionary: fields, at: path)
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
          let taken = take(value, of: name, at: path + "." + Self.path(name), isNested: true, into: &strays)
          if let taken { nested.insert(taken) }
        }
      }
      if inner.isEmpty { take(value, of: name, at: path, isNested: false, into: &strays) }
    }
    return (strays, nested)
  }

  private mutating func report(dictionary: [String: Any], at path: String) {
    let keys = dictionary.keys.compactMap(SettingsKey.meant)
    let isNeeded = keys.contains { $0.isRequired && self[$0] == nil }
    let problem = SettingsProblem(
      "The keys are inside the dictionary \(path), where they are not read.", at: path,
      recoverySuggestion: "Move them to the top level"
        + (isNeeded ? "." : ", or remove the dictionary if nothing else reads it."))
    if isNeeded { errors.append(problem) } else { warnings.append(problem) }
  }

  /// Takes the value of a key that means one of the settings, and warns of its name; returns the right name.
  @discardableResult
  private mutating func take(
    _ value: Any, of name: String, at path: String, isNested: Bool, into strays: inout [String: Any]
  ) -> String? {
    let nearest = isNested ? nil : name.nearest(among: SettingsKey.allCases.map(\.rawValue))
    let meant = SettingsKey.meant(by: name)?.rawValue ?? nearest
    if !isNested || meant != nil && meant != name { warnUnknown(path, nearest: meant) }
    guard let meant, fields[meant] == nil, strays[meant] == nil, (value as? String)?.trimmed != "" else { return nil }
    strays[meant] = value
    // A policy's id is a member there.
    if meant == SettingsKey.policies.rawValue, value is String { strays[meant] = [value] }
    return meant
  }

  /// Returns the dictionaries in a value that have keys of the settings, with their paths.
  private static func dictionaries(in value: Any, at path: String) -> [(path: String, fields: [String: Any])] {
    if let values = value as? [Any] {
      return values.enumerated().flatMap { dictionaries(in: $1, at: "\(path)[\($0)]") }
    }
    guard let inner = value as? [String: Any] else { return [] }
    let (known, others) = (inner.filter { SettingsKey.meant(by: $0.key) != nil }, inner.sorted { $0.key < $1.key })
    // One name of another SDK alone may be a key of anything.
    let isOwn = known.count > 1 || known.keys.contains { SettingsKey(rawValue: $0) != nil }
    return (isOwn ? [(path, inner)] : [])
      + others.filter { known[$0.key] == nil }.flatMap { dictionaries(in: $1, at: path + "." + Self.path($0)) }
  }

  mutating func warnUnknown(_ path: String, nearest: String?) {
    warnings.append(
      SettingsProblem("Unknown key.", at: path, suggestion: nearest, otherwise: "Remove it if nothing else reads it."))
  }
}
