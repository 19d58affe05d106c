/// A text of the file together with where it stands.
struct Entry {
  /// Without blanks around it.
  var text: String
  var path: KeyPath
  var offset: Int?
  /// What to write instead, when it turns out to be wrong.
  var advice: String
}

extension SettingsProblem {
  /// A problem with a text of the file.
  static func about(
    _ entry: Entry, _ kind: Kind, severity: Severity = .error, showsValue: Bool = true, _ message: String,
    correctedValue: String? = nil, advice: String? = nil
  ) -> SettingsProblem {
    SettingsProblem(
      keyPath: entry.path.description, kind: kind, severity: severity, value: showsValue ? entry.text : nil,
      message: message, correctedValue: correctedValue, advice: advice ?? (correctedValue == nil ? entry.advice : nil))
  }
}
