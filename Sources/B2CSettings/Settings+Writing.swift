public import Foundation

extension Settings {
  /// The settings as an XML property list, from which equal settings are read.
  ///
  /// - Returns: The bytes of the file, with the keys in the tutorial's order.
  /// - Throws: ``SettingsError`` when the settings could not be read back, with the reasons.
  public func propertyList() throws -> Data {
    try checked(Data(XMLWriter(SettingsTree(self).members).text.utf8))
  }

  /// The settings as JSON, from which equal settings are read.
  ///
  /// - Returns: The bytes of the file, with the keys in the tutorial's order.
  /// - Throws: ``SettingsError`` when the settings could not be read back, with the reasons.
  public func json() throws -> Data {
    try checked(Data(JSONWriter(SettingsTree(self).members).text.utf8))
  }

  /// Checks settings made in code as those of a file are checked.
  ///
  /// - Returns: What should be mended although the settings can be used.
  /// - Throws: ``SettingsError`` with everything that is wrong.
  @discardableResult
  public func validate() throws -> [SettingsProblem] {
    let problems = try Settings(data: Data(JSONWriter(SettingsTree(self).members).text.utf8)).warnings
    return problems.map { problem in
      var problem = problem
      // Of a file that nobody has seen.
      problem.line = nil
      problem.column = nil
      return problem
    }
  }

  private func checked(_ data: Data) throws -> Data {
    guard try Settings(data: data) == self else {
      let problem = SettingsProblem(
        keyPath: "", kind: .notWritable, message: "A value has blanks around it, is empty, or is listed twice.",
        advice: "Give values as a file would have them.")
      throw SettingsError(file: nil, problems: [problem])
    }
    return data
  }
}
