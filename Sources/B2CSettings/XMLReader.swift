/// A reader of XML property lists that goes on after most faults, so that all of them are reported at once.
///
/// Above all it reads `<string><Enter the Application Id></string>`, the form of a template that was not filled in. Every
/// byte is looked at a bounded number of times.
struct XMLReader {
  private typealias Tag = XMLScanner.Tag

  private var scanner: XMLScanner
  /// The path of the value that is being read.
  private var path = SettingsPath()
  /// Whether nothing after a fault could be read.
  private var isStopped = false
  private var findings: Findings

  /// Returns the value of the property list, if there is one, and whether it was read to its end.
  static func read(_ bytes: [UInt8], findings: inout Findings) -> (root: Node?, isComplete: Bool) {
    var reader = XMLReader(scanner: XMLScanner(bytes), findings: findings)
    let root = reader.readDocument()
    findings = reader.findings
    return (root, !reader.isStopped)
  }

  private init(scanner: XMLScanner, findings: Findings) {
    self.scanner = scanner
    self.findings = findings
  }

  private mutating func readDocument() -> Node? {
    readProlog()
    guard !isStopped, let tag = readTag() else { return nil }
    guard tag.name == "plist" else {
      guard Self.valueNames.contains(tag.name), !tag.isClosing else {
        stop(
          "The file is not a property list: it begins with <\(tag.shownName)>.", kind: .notAPropertyList,
          at: tag.offset,
          recovery: "Begin it with <plist version=\"1.0\">.")
        return nil
      }
      // The tutorial shows its file from <dict> on.
      let node = readValue(tag, depth: 0)
      readEpilog(isInsidePlist: false)
      return node
    }
    guard !tag.isClosing, !tag.isEmpty, let node = readRootInsidePlist() else {
      stop("The property list has no value.", at: tag.offset, recovery: "Put a <dict> into the <plist>.")
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
      let end = scanner.index
      guard !isStopped, let tag = readTag(), tag.isClosing, tag.name == "plist" else {
        stop("The <plist> is not closed after its value.", at: end, recovery: "End the file with </plist>.")
        return
      }
      skipBetweenElements()
    }
    guard !isStopped, !scanner.isAtEnd else { return }
    fault(
      "Unexpected content after the end of the property list.", at: scanner.index,
      recovery: isInsidePlist ? "Remove it." : "Remove it, or begin the file with <plist version=\"1.0\">.")
  }
}

// Faults.
extension XMLReader {
  /// Reports a fault after which reading goes on.
  private mutating func fault(
    _ message: String, kind: SettingsProblem.Kind = .malformed, at offset: Int, recovery: String,
    suggestion: String? = nil
  ) {
    guard !isStopped else { return }
    findings.add(kind, message, at: path, suggestion: suggestion, recovery: recovery, offset: offset)
  }

  /// Reports a template's placeholder that was not even escaped.
  private mutating func reportPlaceholder(_ text: String, at offset: Int) {
    findings.add(
      .placeholder, Placeholder.message, at: path, value: text.trimmed,
      recovery: path.key?.recovery(isGeneric: false) ?? "Write the value in its place, or remove the key.",
      offset: offset)
  }

  /// Reports a fault after which nothing can be read.
  private mutating func stop(
    _ message: String, kind: SettingsProblem.Kind = .malformed, at offset: Int? = nil, recovery: String
  ) {
    fault(message, kind: kind, at: offset ?? scanner.index, recovery: recovery)
    isStopped = true
  }

  private mutating func stop(_ fault: XMLScanner.Fault) {
    stop(fault.message, kind: fault.kind, at: fault.offset, recovery: fault.recovery)
  }

  /// Reads the tag at the current place; returns `nil`, after a fault, when there is none.
  private mutating func readTag() -> Tag? {
    do throws(XMLScanner.Fault) {
      return try scanner.tag()
    } catch {
      stop(error)
      return nil
    }
  }
}

// Elements that hold values.
extension XMLReader {
  private static let valueNames: Set<String> = [
    "dict", "array", "string", "integer", "real", "true", "false", "date", "data",
  ]

  /// Reads the value after its opening tag.
  private mutating func readValue(_ tag: Tag, depth: Int) -> Node {
    Node(value: readContent(tag, depth: depth + 1), offset: tag.offset)
  }

  private mutating func readContent(_ tag: Tag, depth: Int) -> Node.Value {
    switch tag.name {
    case "dict": return tag.isEmpty ? .dictionary([]) : .dictionary(readDictionary(depth: depth))
    case "array": return tag.isEmpty ? .array([]) : .array(readArray(depth: depth))
    case "string": return readText(tag).map(Node.Value.string) ?? .unreadable
    case "integer": return readNumber(tag) { Self.integer($0).map(Node.Value.integer) }
    case "real": return readNumber(tag) { Double($0).map(Node.Value.real) }
    case "true", "false":
      let isClosed = readText(tag) != nil
      return isClosed ? .bool(tag.name == "true") : .unreadable
    case "date": return readText(tag) == nil ? .unreadable : .other("a date")
    case "data": return readText(tag) == nil ? .unreadable : .other("data")
    default: return readUnknown(tag)
    }
  }

  private mutating func readDictionary(depth: Int) -> [Node.Member] {
    var members: [Node.Member] = []
    guard canOpen(depth) else { return members }
    while !isStopped {
      skipBetweenElements()
      guard !isStopped, let tag = readTag() else { break }
      if tag.isClosing {
        if tag.name != "dict" { stopAtWrongEnd(tag, of: "dict") }
        break
      }
      guard tag.name == "key" else {
        fault(
          "A value has no <key> before it.", at: tag.offset,
          recovery: "Put a <key> before it, or remove it.")
        _ = readValue(tag, depth: depth)
        continue
      }
      guard let key = readText(tag) else { continue }
      path.push(key: key)
      members.append(Node.Member(key: key, keyOffset: tag.offset, node: readMemberValue(of: tag, depth: depth)))
      path.pop()
    }
    return members
  }

  /// Reads the value of a key; without one the fault is reported, and what follows stays to be read.
  private mutating func readMemberValue(of key: Tag, depth: Int) -> Node {
    skipBetweenElements()
    let start = scanner.index
    guard !isStopped, let tag = readTag() else { return Node(value: .unreadable) }
    guard !tag.isClosing, tag.name != "key" else {
      fault("The key has no value.", at: key.offset, recovery: "Write its value after it, or remove the key.")
      scanner.move(to: start)
      return Node(value: .unreadable, offset: key.offset)
    }
    return readValue(tag, depth: depth)
  }

  private mutating func readArray(depth: Int) -> [Node] {
    var nodes: [Node] = []
    guard canOpen(depth) else { return nodes }
    while !isStopped {
      skipBetweenElements()
      guard !isStopped, let tag = readTag() else { break }
      if tag.isClosing {
        if tag.name != "array" { stopAtWrongEnd(tag, of: "array") }
        break
      }
      path.push(index: nodes.count)
      nodes.append(readValue(tag, depth: depth))
      path.pop()
    }
    return nodes
  }

  private mutating func canOpen(_ depth: Int) -> Bool {
    if depth > SettingsDocument.maximumDepth {
      stop(
        "Nesting exceeds \(SettingsDocument.maximumDepth) levels.", kind: .nestingTooDeep,
        recovery: "Settings need three levels at most.")
    }
    return !isStopped
  }

  private mutating func stopAtWrongEnd(_ tag: Tag, of name: String) {
    stop(
      "Expected </\(name)>, found <\(tag.shownName)>.", at: tag.offset,
      recovery: "Close the <\(name)> first, or remove the tag.")
  }

  private mutating func readNumber(_ tag: Tag, _ convert: (String) -> Node.Value?) -> Node.Value {
    guard let text = readText(tag) else { return .unreadable }
    if let value = convert(text.trimmed) { return value }
    fault(
      "The content of <\(tag.name)> is not a number, or out of range.", at: tag.offset,
      recovery: "Write a number, or use <string> or <true/>.")
    return .unreadable
  }

  private static func integer(_ text: String) -> Int64? {
    let digits = text.drop { $0 == "-" || $0 == "+" }
    let isNegative = text.hasPrefix("-")
    guard text.count - digits.count <= 1, digits.first != nil else { return nil }
    let isHexadecimal = digits.lowercased().hasPrefix("0x")
    let magnitude = isHexadecimal ? Int64(digits.dropFirst(2), radix: 16) : Int64(digits)
    guard let magnitude, magnitude >= 0 else { return nil }
    return isNegative ? -magnitude : magnitude
  }

  /// Skips an element that property lists do not have.
  private mutating func readUnknown(_ tag: Tag) -> Node.Value {
    guard !tag.isClosing else {
      stop("<\(tag.shownName)> closes nothing.", at: tag.offset, recovery: "Remove it.")
      return .unreadable
    }
    fault(
      "<\(tag.shownName)> is not an element of a property list.", at: tag.offset,
      recovery: "Use <string>, <true/>, <false/>, <integer>, <array> or <dict>.")
    guard !tag.isEmpty else { return .unreadable }
    while !scanner.isAtEnd {
      if scanner.isAtClosingTag(of: tag.name), readTag() != nil { return .unreadable }
      scanner.advance()
    }
    stop("<\(tag.shownName)> is not closed.", at: tag.offset, recovery: "Remove it, or close it.")
    return .unreadable
  }
}

// The text inside an element.
extension XMLReader {
  /// A text and the places of its first faults.
  private struct TextState {
    var text: [UInt8] = []
    var markupOffset: Int?
    var ampersandOffset: Int?
    var controlOffset: Int?
  }

  /// Reads up to the closing tag; returns `nil` after a fault that makes the text unusable.
  ///
  /// Markup inside is kept as text, since `<Enter …>` is a template's placeholder, and reported when the text is complete.
  private mutating func readText(_ tag: Tag) -> String? {
    guard !tag.isEmpty else { return "" }
    var state = TextState()
    while !isStopped, !scanner.isAtEnd {
      let byte = scanner.byte
      if byte == UInt8(ascii: "<") {
        if scanner.isAtClosingTag(of: tag.name) {
          _ = readTag()
          return finish(state, of: tag)
        }
        guard readMarkup(in: tag, &state) else { return nil }
      } else if byte == UInt8(ascii: "&") {
        readReference(&state)
      } else {
        if Self.isControl(byte), state.controlOffset == nil { state.controlOffset = scanner.index }
        state.text.append(byte)
        scanner.advance()
      }
    }
    stop("<\(tag.shownName)> is not closed.", at: tag.offset, recovery: "Close it with </\(tag.name)>.")
    return nil
  }

  private mutating func finish(_ state: TextState, of tag: Tag) -> String? {
    let text = String(decoding: state.text, as: UTF8.self)
    if let offset = state.controlOffset {
      fault("The text contains a control character.", at: offset, recovery: "Remove it.")
      return nil
    }
    if state.markupOffset != nil, Placeholder.isPlaceholder(text) {
      reportPlaceholder(text, at: tag.offset)
      return nil
    }
    if let offset = state.ampersandOffset {
      fault(
        "An ampersand is not escaped.", at: offset, recovery: "Write & as &amp; in XML.",
        suggestion: Shown.value(text) == text ? Self.escape(text) : nil)
      return nil
    }
    if let offset = state.markupOffset {
      fault("<\(tag.shownName)> contains markup.", at: offset, recovery: "Write < as &lt; if it is not a tag.")
      return nil
    }
    return text
  }

  /// Reads a comment, a CDATA section, or `<` as text; returns false when another element begins or ends here.
  private mutating func readMarkup(in tag: Tag, _ state: inout TextState) -> Bool {
    do throws(XMLScanner.Fault) {
      if try scanner.skipComment() { return true }
      if let data = try scanner.characterData() {
        state.text.append(contentsOf: data)
        return true
      }
    } catch {
      stop(error)
      return true
    }
    guard !scanner.isAtElement else {
      // Without this a forgotten </string> would swallow all keys after it.
      fault("<\(tag.shownName)> is not closed.", at: tag.offset, recovery: "Close it with </\(tag.name)>.")
      return false
    }
    if state.markupOffset == nil { state.markupOffset = scanner.index }
    state.text.append(scanner.byte)
    scanner.advance()
    return true
  }

  /// Reads an entity or a character reference; any other ampersand is a fault, and text.
  private mutating func readReference(_ state: inout TextState) {
    let start = scanner.index
    if let scalar = scanner.reference() {
      if scalar.value < 0x80, Self.isControl(UInt8(scalar.value)) { state.controlOffset = start }
      state.text.append(contentsOf: String(Character(scalar)).utf8)
    } else {
      if state.ampersandOffset == nil { state.ampersandOffset = start }
      state.text.append(scanner.byte)
      scanner.advance()
    }
  }

  private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && !TextDecoding.isBlank(byte) }

  private static func escape(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}

// What may be between the elements.
extension XMLReader {
  /// Reads the XML declaration, comments and the document type.
  private mutating func readProlog() {
    scanner.skipBlanks()
    do throws(XMLScanner.Fault) {
      while !scanner.isAtEnd {
        let start = scanner.index
        if try scanner.skipComment() {
          checkEncoding(scanner.bytes[start..<scanner.index], at: start)
        } else if scanner.starts(with: "<!") {
          try scanner.skipDocumentType()
        } else if scanner.byte == UInt8(ascii: "<") {
          return
        } else {
          stop("Unexpected text before the property list.", recovery: "Remove it.")
          return
        }
        scanner.skipBlanks()
      }
      stop("The property list is missing.", recovery: "Write <plist version=\"1.0\"> and the settings into the file.")
    } catch {
      stop(error)
    }
  }

  /// Skips spaces, comments and instructions; text is a fault, reported once.
  private mutating func skipBetweenElements() {
    var hasText = false
    do throws(XMLScanner.Fault) {
      while !isStopped, !scanner.isAtEnd {
        if try scanner.skipComment() { continue }
        if scanner.byte == UInt8(ascii: "<") { return }
        if !TextDecoding.isBlank(scanner.byte), !hasText {
          fault(
            "Unexpected text between the elements.", at: scanner.index,
            recovery: "Put it into a <string>, or remove it."
          )
          hasText = true
        }
        scanner.advance()
      }
    } catch {
      stop(error)
    }
  }

  private mutating func checkEncoding(_ declaration: ArraySlice<UInt8>, at offset: Int) {
    let text = String(decoding: declaration.prefix(200), as: UTF8.self).lowercased()
    guard text.hasPrefix("<?xml"), let name = text.split(separator: "encoding").dropFirst().first else { return }
    let value = name.drop { "= \t\r\n".contains($0) }.dropFirst().prefix { $0 != "\"" && $0 != "'" }
    let isKnown = ["utf-8", "utf8", "utf-16", "utf-16le", "utf-16be", "us-ascii", "ascii"].contains(value)
    // Every other encoding agrees with these in ASCII.
    if !isKnown, scanner.bytes.contains(where: { $0 >= 0x80 }) {
      fault(
        "The file declares the encoding \(Shown.value(String(value.prefix(40))) ?? "…"), and contains other characters than ASCII.",
        kind: .unsupportedEncoding, at: offset, recovery: "Save it as UTF-8, and declare encoding=\"UTF-8\".")
    }
  }
}
