/// A reader of XML property lists that goes on after most faults, so that a person hears of all of them at once.
///
/// Above all it survives `<string><Enter the Application Id></string>`, the form of a template that nobody has filled in.
/// Every byte is looked at a bounded number of times.
struct XMLReader {
  let bytes: [UInt8]
  var index = 0
  /// Where the value that is being read stands: keys and positions in lists.
  var path = KeyPath()
  /// Whether a fault was so bad that nothing behind it was read.
  private(set) var isStopped = false
  private(set) var findings: Findings

  init(_ bytes: [UInt8], findings: Findings) {
    self.bytes = bytes
    self.findings = findings
  }

  /// Reads the one value of the property list; nothing when there is none.
  mutating func readDocument() -> Node? {
    readProlog()
    guard !isStopped, let tag = readTag() else { return nil }
    guard tag.name == "plist" else {
      guard Self.valueNames.contains(tag.name), !tag.isClosing else {
        stop(
          "The file is not a property list: it begins with <\(tag.shownName)>.", kind: .notAPropertyList,
          at: tag.offset,
          advice: "Begin it with <plist version=\"1.0\">.")
        return nil
      }
      // The tutorial prints its file from <dict> on.
      let node = readValue(tag, depth: 0)
      readEpilog(isInsidePlist: false)
      return node
    }
    guard !tag.isClosing, !tag.isEmpty, let node = readRootInsidePlist() else {
      stop("The property list has no value in it.", at: tag.offset, advice: "Put a <dict> into the <plist>.")
      return nil
    }
    readEpilog(isInsidePlist: true)
    return node
  }

  private mutating func readRootInsidePlist() -> Node? {
    skipBetweenElements()
    guard !isStopped, let tag = readTag(), !tag.isClosing else { return nil }
    return readValue(tag, depth: 0)
  }

  private mutating func readEpilog(isInsidePlist: Bool) {
    guard !isStopped else { return }
    skipBetweenElements()
    if isInsidePlist {
      let end = index
      guard !isStopped, let tag = readTag(), tag.isClosing, tag.name == "plist" else {
        stop("The <plist> is not closed behind its value.", at: end, advice: "End the file with </plist>.")
        return
      }
      skipBetweenElements()
    }
    guard !isStopped, index < bytes.count else { return }
    fault(
      "Something stands behind the end of the property list.", at: index,
      advice: isInsidePlist ? "Remove it." : "Remove it, or begin the file with <plist version=\"1.0\">.")
  }
}

// Faults.
extension XMLReader {
  /// Notes a fault after which reading goes on.
  mutating func fault(
    _ message: String, kind: SettingsProblem.Kind = .malformed, at offset: Int, advice: String,
    correctedValue: String? = nil
  ) {
    guard !isStopped else { return }
    findings.add(
      SettingsProblem(
        keyPath: path.description, kind: kind, message: message, correctedValue: correctedValue, advice: advice),
      at: offset)
  }

  /// Notes a template's placeholder that was not even escaped.
  mutating func notePlaceholder(_ text: String, at offset: Int) {
    let key = SettingsKey.first(of: path.description)
    findings.add(
      SettingsProblem(
        keyPath: path.description, kind: .placeholder, value: text.trimmed, message: Placeholder.message,
        advice: key?.advice ?? "Write the value in its place, or remove the key."),
      at: offset)
  }

  /// Notes a fault behind which nothing can be read.
  mutating func stop(
    _ message: String, kind: SettingsProblem.Kind = .malformed, at offset: Int? = nil, advice: String
  ) {
    fault(message, kind: kind, at: offset ?? index, advice: advice)
    isStopped = true
  }
}
