internal import B2CCore
public import Foundation

extension ConnectorSettings {
  /// The settings of the running app, from `settings.plist` in its main bundle.
  ///
  /// Each access reads the file again, so keep the value.
  ///
  /// - Throws: ``SettingsError`` with all problems.
  public static var main: ConnectorSettings { get throws { try ConnectorSettings(bundle: .main) } }

  /// Reads settings from a file, which is an XML property list or, on Apple platforms, also a binary one.
  ///
  /// - Parameter file: The file's URL.
  /// - Throws: ``SettingsError`` with all problems, if the file is missing or cannot be read, or if
  ///   ``init(data:file:)`` finds problems in it.
  public init(contentsOf file: URL) throws { try self.init(data: try SettingsFile.read(file), file: file.path) }

  /// Reads settings from the resource `<resource>.plist` of a bundle.
  ///
  /// - Parameters:
  ///   - bundle: The bundle.
  ///   - resource: The resource's name without its extension, by default `settings`.
  /// - Throws: ``SettingsError`` with all problems, if the file is missing or cannot be read, or if
  ///   ``init(data:file:)`` finds problems in it.
  public init(bundle: Bundle, resource: String = "settings") throws {
    guard let found = bundle.url(forResource: resource, withExtension: "plist") else {
      throw SettingsFile.error(
        resource + ".plist", "The bundle at \(bundle.bundlePath) has no such resource.",
        "Add the file to the app's target, put it next to the program, or use `ConnectorSettings(contentsOf:)`.",
        near: (bundle.resourceURL ?? bundle.bundleURL).appendingPathComponent(resource + ".plist"))
    }
    try self.init(contentsOf: found)
  }

  /// Reads settings from data, which is an XML property list in UTF-8 or, on Apple platforms, also a binary one.
  ///
  /// - Parameters:
  ///   - data: The bytes, at most 64 KiB.
  ///   - file: The name of the file for messages, or `nil`, the default.
  /// - Throws: ``SettingsError`` with all problems of the content.
  public init(data: Data, file: String? = nil) throws {
    var reader = SettingsReader(fields: try SettingsFile.fields(of: data, file: file))
    guard let settings = reader.read() else { throw reader.error(in: file) }
    self = settings
  }
}

/// The parser of a settings file, which returns the values of its keys unchecked.
enum SettingsFile {
  /// The largest size of a file in bytes, which is many times that of a real one.
  static let maximumSize = 65_536
  /// The largest number of arrays and dictionaries in a file, of which real settings have a dozen.
  ///
  /// Foundation's parser is recursive, and crashes the process if thousands of them are nested.
  private static let maximumContainers = 200

  /// Returns the file's content, but reads at most one byte more than the limit.
  static func read(_ file: URL) throws(SettingsError) -> Data {
    // Only a regular file is opened, because reading a named pipe could wait forever.
    let target = file.resolvingSymlinksInPath()
    let type = try? FileManager.default.attributesOfItem(atPath: target.path)[.type] as? FileAttributeType
    guard file.isFileURL, type == .typeRegular, let handle = try? FileHandle(forReadingFrom: target),
      let bytes = try? handle.read(upToCount: maximumSize + 1) ?? Data()
    else {
      throw Self.error(
        file.path, "The file does not exist, or cannot be read.",
        "Check the path and the file's permissions, or add the file to the app's target.",
        near: file.isFileURL && type == nil ? file : nil)
    }
    return bytes
  }

  /// Returns the values of a property list by their keys.
  ///
  /// Only XML is passed to Foundation, because it reads any other text as an old OpenStep property list.
  static func fields(of data: Data, file: String?) throws(SettingsError) -> [String: Any] {
    func require(_ isMet: Bool, _ message: String, _ recovery: String) throws(SettingsError) {
      if !isMet { throw error(file, message, recovery) }
    }
    try require(
      data.count <= maximumSize, "The file is larger than \(maximumSize / 1024) KiB.",
      "Use the settings file, which has a few hundred bytes.")
    let text = String(bytes: data, encoding: .utf8) ?? ""
    try require(
      !CombiningMarks.areTooMany(in: text),
      "A text in the file has more than \(CombiningMarks.maximumRun) combining marks in a row.",
      "Type the text instead of pasting it.")
    let starts = ["<?xml", "<!DOCTYPE plist", "<!--", "<plist", "<dict"]
    let isBinary = readsBinaryLists && data.starts(with: Data("bplist".utf8))
    try require(
      isBinary || starts.contains(where: text.trimmed.hasPrefix),
      "The file is not a property list in XML, written in UTF-8.",
      "Begin it with <plist version=\"1.0\">, or convert it with `plutil -convert xml1`.")
    let tags = text.utf8.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false).dropFirst()
    let containers = tags.count { $0.starts(with: "array".utf8) || $0.starts(with: "dict".utf8) }
    try require(
      containers <= maximumContainers, "The file has more than \(maximumContainers) arrays and dictionaries.",
      "Use the settings file, which needs about a dozen.")
    let root: Any
    do {
      root = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
    } catch {
      let said = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String ?? ""
      throw SettingsError(file: file, problems: XMLHints.problems(in: text, said: said))
    }
    guard let fields = root as? [String: Any] else {
      throw error(
        file, "The outermost value is not a dictionary.", "Put the keys and their values into one dictionary.")
    }
    return fields
  }

  /// Creates the error for a whole file, and suggests a file with a similar name if the file `missing` does not exist.
  static func error(_ file: String?, _ message: String, _ recovery: String, near missing: URL? = nil) -> SettingsError {
    let found = missing.flatMap(near).flatMap(SettingsProblem.shown)
    let advice = found.map { "The same directory contains \"\($0)\". Rename that file, or use its name." } ?? recovery
    return SettingsError(file: file, problems: [SettingsProblem(message, recoverySuggestion: advice)])
  }

  private static let extensions = Pattern(/\.(?:plist|txt|xml)/)

  /// Returns a file in the same directory whose name differs from a missing one by case, one letter or its extensions.
  private static func near(_ missing: URL) -> String? {
    func stem(_ name: String) -> String { name.lowercased().replacing(extensions, with: "") }
    let directory = missing.deletingLastPathComponent()
    let files = (try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)) ?? []
    let names = files.filter { !$0.hasDirectoryPath }.map(\.lastPathComponent).sorted()
    let nearest = stem(missing.lastPathComponent).nearest(among: names.map(stem))
    return names.first { stem($0) == nearest }
  }
}

/// The mistakes in a property list that Foundation cannot parse.
///
/// Foundation reports only the first mistake. Tags and ampersands in values are looked for in every line, because an
/// unfilled template has one in each value. For any other mistake, only the line that Foundation names is reported.
private struct XMLHints {
  private static let lineNumber = Pattern(/line ([0-9]+)/)
  private static let namedKey = Pattern(/<key>([^<]*)<\/key>/)
  private static let entity = Pattern(/&(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9A-Fa-f]+);/)

  private var problems: [SettingsProblem] = []
  private var number = 0
  private var key: String?

  /// Returns the problems in a text, where `said` is Foundation's own message.
  static func problems(in text: String, said: String) -> [SettingsProblem] {
    var hints = XMLHints()
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for line in lines {
      hints.number += 1
      // A line may contain several keys and strings, and each string belongs to the key before it.
      for (index, part) in line.split(separator: "<string>", omittingEmptySubsequences: false).enumerated() {
        let end = index == 0 ? nil : part.range(of: "</string>")
        if let end { hints.lookAtString(String(part[..<end.lowerBound])) }
        hints.look(at: String(part[(end?.upperBound ?? part.startIndex)...]))
      }
    }
    guard hints.problems.isEmpty else { return hints.problems }
    // If a file ends too early, Foundation names no line, so the last one is reported. Its own message is not shown,
    // because it may quote a part of a secret value.
    let last = 1 + (lines.lastIndex { !$0.isEmpty } ?? 0)
    (hints.number, hints.key) = (said.firstMatch(of: lineNumber).flatMap { Int($0.1) } ?? last, nil)
    hints.add(
      "The XML is malformed here or on the line before, or a value has the wrong type.", value: nil,
      "Close every tag, and write a text as <string>text</string>. Check the file with `plutil -lint`.")
    return hints.problems
  }

  /// Checks the content of a string for a tag or an ampersand.
  private mutating func lookAtString(_ value: String) {
    guard value.contains("<") else { return look(at: value) }
    let known = key.flatMap(SettingsKey.init)
    add(
      Placeholder.isPlaceholder(value) ? Placeholder.message : "The string contains a tag.",
      // The value of an unknown key is not shown, because it may be a secret.
      value: known != nil && !value.contains("@") ? value : nil,
      known?.recovery ?? "Write < as &lt; if it does not begin a tag.")
  }

  /// Remembers the last key in a text, and reports an ampersand in it.
  private mutating func look(at text: String) {
    if let named = text.matches(of: Self.namedKey).last { key = String(named.output.1) }
    guard text.contains("&"), !text.contains("<![CDATA["),
      text.replacing(Self.entity, with: "").contains("&")
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
