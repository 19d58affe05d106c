internal import B2CAuthority
public import B2CSettings
public import Foundation

extension ConnectorSettings {
  /// Returns the settings as an XML property list, from which equal settings are read.
  ///
  /// - Returns: The bytes of the file.
  /// - Throws: `SettingsError` when the settings could not be read back, with the reasons.
  public func propertyList() throws(SettingsError) -> Data {
    guard let data = try? PropertyListSerialization.data(fromPropertyList: fileValues, format: .xml, options: 0),
      try ConnectorSettings(data: data) == self
    else {
      let problem = SettingsProblem(
        kind: .notWritable, message: "A value is empty, listed twice, or has spaces around it.",
        recoverySuggestion: "Use values as a file contains them.")
      throw SettingsError(file: nil, problems: [problem])
    }
    return data
  }
}
