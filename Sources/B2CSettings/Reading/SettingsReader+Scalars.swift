import Foundation

// Texts and truth values.
extension SettingsReader {
  /// The text of a key, without blanks around it; nothing when it is absent, or when what is wrong has been noted.
  mutating func text(_ key: SettingsKey, isRequired: Bool = false, isFree: Bool = false) -> Entry? {
    guard let member = self[key] else {
      if isRequired { noteMissing(key) }
      return nil
    }
    return text(
      member.node, at: KeyPath(key.rawValue), isRequired: isRequired, isFree: isFree, advice: key.advice)
  }

  /// The text of a value; a free one, such as a name, may look like a placeholder.
  mutating func text(
    _ node: Node, at path: KeyPath, isRequired: Bool, isFree: Bool = false, advice: String
  ) -> Entry? {
    switch node.value {
    case .string(let text):
      let entry = Entry(text: text.trimmed, path: path, offset: node.offset, advice: advice)
      return check(entry, isRequired: isRequired, isFree: isFree) ? entry : nil
    case .unreadable: return nil
    case .null where !isRequired: return nil
    default:
      noteType(node, at: path, wanted: "a string", advice: advice)
      return nil
    }
  }

  /// Notes that a value has another type than it should.
  mutating func noteType(_ node: Node, at path: KeyPath, wanted: String, advice: String) {
    findings.add(
      SettingsProblem(
        keyPath: path.description, kind: .wrongType, value: node.scalarText,
        message: "The value is \(node.typeName), not \(wanted).", advice: advice),
      at: node.offset)
  }

  private mutating func check(_ entry: Entry, isRequired: Bool, isFree: Bool) -> Bool {
    guard !entry.text.isEmpty else {
      if isRequired {
        findings.add(.about(entry, .emptyValue, showsValue: false, "The value is empty."), at: entry.offset)
      }
      return false
    }
    guard isFree || !Placeholder.isPlaceholder(entry.text) else {
      findings.add(.about(entry, .placeholder, Placeholder.message), at: entry.offset)
      return false
    }
    if !isFree, let bare = Self.unquoted(entry.text) {
      findings.add(
        .about(entry, .quotedValue, "The value has quotation marks around it.", correctedValue: bare),
        at: entry.offset)
      return false
    }
    // Names may have anything else in them, and are shown and written again.
    guard !entry.text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      findings.add(
        .about(
          entry, .controlCharacter, "The value has a control character or a line break in it.",
          advice: "Type it anew instead of pasting it."),
        at: entry.offset)
      return false
    }
    return true
  }

  /// The text between quotation marks, straight or typographic; nothing when it has none around it.
  private static func unquoted(_ text: String) -> String? {
    let marks = "\"'`\u{201C}\u{201D}\u{201E}\u{2018}\u{2019}\u{AB}\u{BB}"
    guard text.count > 2, let first = text.first, let last = text.last, marks.contains(first), marks.contains(last)
    else { return nil }
    let bare = String(text.dropFirst().dropLast()).trimmed
    return bare.isEmpty || bare.contains(where: marks.contains) ? nil : bare
  }

  /// The truth value of a key; false when it is absent.
  ///
  /// The tutorial's code asked any value for its `boolValue`, so all these spellings are in real files.
  mutating func flag(_ key: SettingsKey) -> Bool {
    guard let node = self[key]?.node else { return false }
    switch node.value {
    case .bool(let flag): return flag
    case .integer(0), .real(0): return false
    case .integer(1), .real(1): return true
    case .null, .unreadable: return false
    case .string(let text):
      switch text.trimmed.lowercased() {
      case "true", "yes", "1": return true
      case "false", "no", "0", "": return false
      default: break
      }
    default: break
    }
    noteType(node, at: KeyPath(key.rawValue), wanted: "true or false", advice: key.advice)
    return false
  }

  /// The correlation ID, which has to be a UUID.
  mutating func readCorrelationID() -> UUID? {
    guard let entry = text(.correlationID) else { return nil }
    if let id = UUID(uuidString: entry.text) { return id }
    findings.add(
      .about(
        entry, .invalidCorrelationID, "The correlation ID is no UUID.", correctedValue: GUID.mended(entry.text)),
      at: entry.offset)
    return nil
  }
}
