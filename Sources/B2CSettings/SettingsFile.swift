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
    // A named pipe would never end.
    let target = file.resolvingSymlinksInPath()
    let type = try? FileManager.default.attributesOfItem(atPath: target.path)[.type] as? FileAttributeType
    guard file.isFileURL, type == .typeRegular, let handle = try? FileHandle(forReadingFrom: target),
      let bytes = try? handle.read(upToCount: maximumSize + 1) ?? Data()
    else {
      throw Self.error(
        file.path, "The file does not exist, or cannot be read.",
        "Check the path and the file's permissions, or add the file to the app's target.",
        near: file.isFileURL ? file : nil)
    }
    return bytes
  }

  /// Returns the values of a property list by their keys, and what is wrong with the list itself.
  ///
  /// Foundation takes any other text than that of an XML list for an old OpenStep one.
  static func fields(
    of data: Data, file: String?
  ) throws(SettingsError) -> (fields: [String: Any], problems: [SettingsProblem]) {
    guard data.count <= maximumSize else {
      throw error(
        file, "The file is larger than \(maximumSize / 1024) KiB.",
        "Use the settings file, which is a few hundred bytes long.")
    }
    let text = String(bytes: data, encoding: .utf8) ?? ""
    guard !CombiningMarks.areTooMany(in: text) else {
      throw error(
        file, "A text in the file has more than \(CombiningMarks.maximumRun) combining marks in a row.",
        "Type the text instead of pasting it.")
    }
    let starts = ["<?xml", "<!DOCTYPE plist", "<!--", "<plist", "<dict"]
    let isBinary = readsBinaryLists && data.starts(with: Data("bplist".utf8))
    guard isBinary || starts.contains(where: text.trimmed.hasPrefix) else {
      throw error(
        file, "The file is not a property list in XML, written in UTF-8.",
        "Begin it with <plist version=\"1.0\">, or convert it with `plutil -convert xml1`.")
    }
    let containers = ["<array", "<dict"].map { text.components(separatedBy: $0).count - 1 }.reduce(0, +)
    guard containers <= maximumContainers else {
      throw error(
        file, "The file has more than \(maximumContainers) arrays and dictionaries.",
        "Settings need three levels, and a dozen of them.")
    }
    let root: Any
    do {
      root = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
    } catch {
      let said = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String ?? ""
      throw SettingsError(file: file, problems: XMLHints.problems(in: text, said: said))
    }
    if let fields = root as? [String: Any] { return (fields, []) }
    let wrong = error(
      file, "The outermost value is not a dictionary.", "Put the keys and their values into one dictionary.")
    // A dictionary in an array is read, so that its problems are found together with this one.
    guard let inner = (root as? [Any])?.compactMap({ $0 as? [String: Any] }).first else { throw wrong }
    return (inner, wrong.problems)
  }

  /// Makes the error of a whole file; of one that is not there, it names what is in its place or has nearly its name.
  static func error(_ file: String?, _ message: String, _ recovery: String, near wanted: URL? = nil) -> SettingsError {
    var (message, recovery) = (message, recovery)
    if let wanted, isDirectory(wanted) {
      message += " It is a directory."
    } else if let wanted, let found = near(wanted).flatMap(SettingsProblem.shown) {
      message += " There is \"\(found)\" in its place."
      recovery = "Rename \(found) to \(wanted.lastPathComponent), or use its name."
    }
    return SettingsError(file: file, problems: [SettingsProblem(message, recoverySuggestion: recovery)])
  }

  /// Returns the file beside a missing one whose name differs by case, a letter or its extensions.
  private static func near(_ wanted: URL) -> String? {
    func stem(_ name: String) -> String {
      name.lowercased().split(separator: ".").filter { !["plist", "txt", "xml"].contains($0) }.joined(separator: ".")
    }
    let directory = wanted.deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    let files = names.sorted().filter {
      $0 != wanted.lastPathComponent && !isDirectory(directory.appendingPathComponent($0))
    }
    let nearest = stem(wanted.lastPathComponent).nearest(among: files.map(stem))
    return files.first { stem($0) == nearest }
  }

  private static func isDirectory(_ file: URL) -> Bool {
    (try? file.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true
  }
}

/// The mistakes in a property list that Foundation has refused.
///
/// Foundation stops at the first one. Two mistakes are looked for in every line, because an unfilled template has one of
/// them in each value; of any other mistake Foundation knows the line.
private struct XMLHints {
  private var problems: [SettingsProblem] = []
  private var number = 0
  private var key: String?

  static func lines(of text: String) -> [String] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
  }

  /// Returns the problems of a text; `said` is what Foundation says of it.
  static func problems(in text: String, said: String) -> [SettingsProblem] {
    var hints = XMLHints()
    for line in lines(of: text) {
      hints.number += 1
      // A line may hold several keys and strings; each string belongs to the key before it.
      for (index, part) in line.components(separatedBy: "<string>").enumerated() {
        let end = index == 0 ? nil : part.range(of: "</string>")
        if let end { hints.lookAtString(String(part[..<end.lowerBound])) }
        hints.look(at: String(part[(end?.upperBound ?? part.startIndex)...]))
      }
    }
    return hints.problems.isEmpty ? [malformed(lines(of: text), said)] : hints.problems
  }

  /// Returns the problem that Foundation names, in words of our own: its text may contain a part of a secret value.
  private static func malformed(_ lines: [String], _ said: String) -> SettingsProblem {
    // The last line is that of a file that ends too early, of which Foundation says no line.
    let last = (lines.lastIndex { !$0.trimmed.isEmpty } ?? 0) + 1
    var line = said.split { !$0.isNumber }.last.flatMap { Int($0) } ?? last
    for tag in ["string", "key"] where said.hasSuffix("open tag " + tag) {
      // A text ends on its own line, and Foundation names that of the next tag.
      line = lines.prefix(line).lastIndex { $0.contains("<\(tag)>") }.map { $0 + 1 } ?? line
    }
    var hints = XMLHints()
    for text in lines.prefix(line) { hints.lookForKey(in: text) }
    let value = hints.key.flatMap(SettingsKey.init)?.typeRecovery ?? "Write a text as <string>text</string>."
    let ways = [
      "open tag string": "Write </string> after the text.", "open tag key": "Write </key> after the key.",
      "open tag dict": "Write </dict> before it.", "open tag array": "Write </array> before it.",
      "looking for open tag": value, "unknown tag": value, "EOF": "End the file with </dict> and </plist>.",
    ]
    return SettingsProblem(
      "Line \(line): The XML of the property list is malformed, or one of its values is not of its type.",
      at: hints.shownKey,
      recoverySuggestion: (ways.first { said.contains($0.key) }.map { $0.value + " " } ?? "")
        + "Check it with `plutil -lint` or an editor for XML.")
  }

  /// Looks at what the tags of a string enclose.
  private mutating func lookAtString(_ value: String) {
    guard value.contains("<") else { return look(at: value) }
    let known = key.flatMap(SettingsKey.init)
    add(
      Placeholder.isPlaceholder(value) ? Placeholder.message : "The string contains a tag.",
      // The value of an unknown key may be a secret.
      value: known != nil && !value.contains("@") ? value : nil,
      known?.recovery ?? "Write < as &lt; where it is not a tag.")
  }

  /// Looks for the last key and for an ampersand.
  private mutating func look(at text: String) {
    lookForKey(in: text)
    guard text.contains("&"), !text.contains("<![CDATA["),
      text.replacing(/&(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9A-Fa-f]+);/, with: "").contains("&")
    else { return }
    add("An ampersand is not escaped.", value: nil, "Write & as &amp; in XML.")
  }

  private mutating func lookForKey(in text: String) {
    if let named = text.matches(of: /<key>([^<]*)<\/key>/).last { key = String(named.output.1) }
  }

  private var shownKey: String { key.flatMap(SettingsProblem.shown) ?? "" }

  private mutating func add(_ message: String, value: String?, _ recovery: String) {
    problems.append(
      SettingsProblem("Line \(number): " + message, at: shownKey, value: value, recoverySuggestion: recovery))
  }
}
