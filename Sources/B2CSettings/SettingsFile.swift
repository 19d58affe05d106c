import Foundation

/// Reads the bytes of a settings file.
enum SettingsFile {
  /// The file's content, as far as the limit of size is exceeded by one byte.
  static func read(_ file: URL) throws -> Data {
    guard file.isFileURL else {
      throw error(
        .fileUnreadable, file: file.scheme ?? "", "The URL is not that of a file.", advice: "Give a file URL.")
    }
    // A named pipe would never end, and a device never be empty.
    let target = file.resolvingSymlinksInPath()
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: target.path) else {
      throw error(
        .fileNotFound, file: file.path, "There is no such file.",
        advice: "Check the path, or add the file to the app's target.")
    }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw error(
        .fileUnreadable, file: file.path, "It is not a regular file.", advice: "Give the path of the settings file.")
    }
    do {
      let handle = try FileHandle(forReadingFrom: target)
      defer { try? handle.close() }
      return try handle.read(upToCount: Limits.bytes + 1) ?? Data()
    } catch {
      throw Self.error(
        .fileUnreadable, file: file.path, "The file cannot be read.", advice: "Check its permissions.")
    }
  }

  /// An error about the file as a whole.
  static func error(_ kind: SettingsProblem.Kind, file: String, _ message: String, advice: String) -> SettingsError {
    SettingsError(file: file, problems: [SettingsProblem(keyPath: "", kind: kind, message: message, advice: advice)])
  }
}
