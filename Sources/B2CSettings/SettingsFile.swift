import B2CCore
import Foundation

/// Reads a settings file as far as the values of its keys.
enum SettingsFile {
  /// The largest file in bytes: many times what the longest real one needs.
  static let maximumSize = 65_536
  /// The most arrays and dictionaries; settings have a dozen.
  ///
  /// Foundation's reader is recursive and ends the process where they are nested thousands deep.
  private static let maximumContainers = 200

  /// Returns the file's content, at most one byte more than the limit.
  static func read(_ file: URL) throws(SettingsError) -> Data {
    guard file.isFileURL else {
      throw error(file.scheme, SettingsProblem("The URL is not that of a file.", recoverySuggestion: "Use a file URL."))
    }
    // A named pipe would never end, and a device never be empty.
    let target = file.resolvingSymlinksInPath()
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: target.path) else {
      throw error(
        file.path,
        SettingsProblem(
          "The file does not exist.", recoverySuggestion: "Check the path, or add the file to the app's target."))
    }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw error(
        file.path,
        SettingsProblem("It is not a regular file.", recoverySuggestion: "Use the path of the settings file."))
    }
    do {
      let handle = try FileHandle(forReadingFrom: target)
      defer { try? handle.close() }
      return try handle.read(upToCount: maximumSize + 1) ?? Data()
    } catch {
      throw Self.error(
        file.path, SettingsProblem("The file cannot be read.", recoverySuggestion: "Check its permissions."))
    }
  }

  /// Returns the values of a property list by their keys.
  static func fields(of data: Data, file: String?) throws(SettingsError) -> [String: Any] {
    if let problem = unreadable(data) { throw error(file, problem) }
    guard let root = try? PropertyListSerialization.propertyList(from: data, options: [], format: nil) else {
      throw SettingsError(file: file, problems: XMLHints.problems(in: String(decoding: data, as: UTF8.self)))
    }
    guard let fields = root as? [String: Any] else {
      throw error(
        file,
        SettingsProblem(
          "The outermost value is \(SettingsReader.typeName(of: root)), not a dictionary.",
          recoverySuggestion: "Put the keys and their values into one dictionary."))
    }
    return fields
  }

  /// Returns the reason why Foundation may not read a file: it takes any other text for an old OpenStep list.
  private static func unreadable(_ data: Data) -> SettingsProblem? {
    guard data.count <= maximumSize else {
      return SettingsProblem(
        "The file is larger than \(maximumSize / 1024) KiB.",
        recoverySuggestion: "Use the settings file, which is a few hundred bytes long.")
    }
    if data.starts(with: Data("bplist".utf8)) {
      return readsBinaryLists
        ? nil
        : SettingsProblem(
          "The file is a binary property list, which is read on Apple's systems only.",
          recoverySuggestion: "Convert it to XML with `plutil -convert xml1`.")
    }
    guard let text = String(bytes: data, encoding: .utf8) else {
      return SettingsProblem("The file contains a byte that is not UTF-8.", recoverySuggestion: "Save it as UTF-8.")
    }
    let start = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    guard !start.isEmpty else {
      return SettingsProblem("The file is empty.", recoverySuggestion: "Write the settings into it.")
    }
    guard ["<?xml", "<!DOCTYPE plist", "<!--", "<plist", "<dict"].contains(where: { start.hasPrefix($0) }) else {
      return SettingsProblem(
        "The file is not a property list.",
        recoverySuggestion: "Begin it with <plist version=\"1.0\">, or convert it with `plutil -convert xml1`.")
    }
    let containers = ["<array", "<dict"].map { text.components(separatedBy: $0).count - 1 }.reduce(0, +)
    guard containers <= maximumContainers else {
      return SettingsProblem(
        "The file has more than \(maximumContainers) arrays and dictionaries.",
        recoverySuggestion: "Settings need three levels, and a dozen of them.")
    }
    return nil
  }

  static func error(_ file: String?, _ problem: SettingsProblem) -> SettingsError {
    SettingsError(file: file, problems: [problem])
  }
}

/// The two mistakes that people make in a property list, found line by line once Foundation has refused it.
///
/// Foundation names line 1 on Linux, whatever the line is, and the first fault only; an unfilled template has one for each
/// value.
private enum XMLHints {
  static func problems(in text: String) -> [SettingsProblem] {
    var hints = Hints()
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (number, line) in zip(1..., lines) {
      hints.number = number
      // A line may hold several keys and strings; each string belongs to the key before it.
      for (index, part) in line.components(separatedBy: "<string>").enumerated() {
        let end = index == 0 ? nil : part.range(of: "</string>")
        if let end { hints.lookAtString(String(part[..<end.lowerBound])) }
        hints.look(at: String(part[(end?.upperBound ?? part.startIndex)...]))
      }
    }
    // Further ones would be of the same kind.
    let problems = Array(hints.problems.prefix(100))
    guard problems.isEmpty else { return problems }
    return [
      SettingsProblem(
        "The XML of the property list is malformed, or one of its values is not of its type.",
        recoverySuggestion: "Check it with `plutil -lint` or an editor for XML.")
    ]
  }

  /// What was found, and the last key.
  private struct Hints {
    var number = 0
    var problems: [SettingsProblem] = []
    private var key: String?

    /// Looks at what the tags of a string enclose.
    mutating func lookAtString(_ value: String) {
      guard value.contains("<") else { return lookForAmpersand(in: value) }
      let known = key.flatMap(SettingsKey.init)
      add(
        Placeholder.isPlaceholder(value) ? Placeholder.message : "The string contains a tag.",
        // The value of an unknown key may be a secret.
        value: known != nil && !value.contains("@") ? value : nil,
        known?.recovery(isGeneric: false) ?? "Write < as &lt; where it is not a tag.")
    }

    /// Looks at what is beside the strings.
    mutating func look(at text: String) {
      if let named = text.matches(of: /<key>([^<]*)<\/key>/).last { key = String(named.output.1) }
      lookForAmpersand(in: text)
    }

    private mutating func lookForAmpersand(in text: String) {
      guard text.contains("&"), !text.contains("<![CDATA["),
        text.replacing(/&(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9A-Fa-f]+);/, with: "").contains("&")
      else { return }
      add("An ampersand is not escaped.", value: nil, "Write & as &amp; in XML.")
    }

    private mutating func add(_ message: String, value: String?, _ recovery: String) {
      problems.append(
        SettingsProblem(
          "Line \(number): " + message, at: key.flatMap(SettingsProblem.shown) ?? "", value: value,
          recoverySuggestion: recovery))
    }
  }
}
