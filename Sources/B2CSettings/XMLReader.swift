import B2CCore

/// A reader of XML property lists that goes on after most faults, so that all of them are reported at once.
///
/// It also reads `<string><Enter the Application Id></string>`, the form of a template that was not filled in. Every byte
/// is looked at a bounded number of times. A ``DocumentFault`` is thrown where nothing more can be read; what was read
/// before it is kept.
struct XMLReader {
  private typealias Tag = XMLScanner.Tag

  private var scanner: XMLScanner
  /// The path of the value that is being read.
  private var path = SettingsPath()
  private let findings: Findings

  /// Returns the value of the property list as far as it can be read, and whether that is to its end.
  static func read(_ bytes: [UInt8], findings: Findings) -> (root: Node, isComplete: Bool) {
    var reader = XMLReader(scanner: XMLScanner(bytes), findings: findings)
    var root = Node(value: .unreadable)
    do throws(DocumentFault) {
      try reader.readDocument(into: &root)
      return (root, true)
    } catch {
      findings.add(error, at: reader.path)
      return (root, false)
    }
  }

  private mutating func readDocument(into root: inout Node) throws(DocumentFault) {
    try readProlog()
    var tag = try scanner.tag()
    let hasPlist = tag.name == "plist"
    if hasPlist {
      let noValue = DocumentFault(
        message: "The property list has no value.", offset: tag.offset, recovery: "Put a <dict> into the <plist>.")
      guard !tag.isClosing, !tag.isEmpty else { throw noValue }
      try skipBetweenElements()
      tag = try scanner.tag()
      guard !tag.isClosing else { throw noValue }
    } else if !Self.valueNames.contains(tag.name) || tag.isClosing {
      // The tutorial shows its file from <dict> on.
      throw DocumentFault(
        kind: .notAPropertyList, message: "The file is not a property list: it begins with <\(tag.shownName)>.",
        offset: tag.offset, recovery: "Begin it with <plist version=\"1.0\">.")
    }
    try readValue(tag, into: &root)
    try skipBetweenElements()
    if hasPlist {
      let end = scanner.index
      guard let tag = try? scanner.tag(), tag.isClosing, tag.name == "plist" else {
        throw DocumentFault(
          message: "The <plist> is not closed after its value.", offset: end, recovery: "End the file with </plist>.")
      }
      try skipBetweenElements()
    }
    guard !scanner.isAtEnd else { return }
    report(
      "Unexpected content after the end of the property list.", at: scanner.index,
      recovery: hasPlist ? "Remove it." : "Remove it, or begin the file with <plist version=\"1.0\">.")
  }

  /// Reports a fault after which reading goes on.
  private func report(
    _ message: String, kind: SettingsProblem.Kind = .malformed, at offset: Int, suggestion: String? = nil,
    recovery: String
  ) {
    findings.add(kind, message, at: path, suggestion: suggestion, recovery: recovery, offset: offset)
  }
}

// Elements that hold values.
extension XMLReader {
  private static let valueNames: Set<String> = [
    "dict", "array", "string", "integer", "real", "true", "false", "date", "data",
  ]

  /// Reads the value after its opening tag.
  private mutating func readValue(_ tag: Tag, into node: inout Node, depth: Int = 1) throws(DocumentFault) {
    node.offset = tag.offset
    switch tag.name {
    case "dict": try readDictionary(tag, into: &node, depth: depth)
    case "array": try readArray(tag, into: &node, depth: depth)
    case "string": node.value = try readText(tag).map(Node.Value.string) ?? .unreadable
    case "integer": node.value = try readNumber(tag) { Int64($0).map(Node.Value.integer) }
    case "real": node.value = try readNumber(tag) { Double($0).map(Node.Value.real) }
    case "true", "false": node.value = try readText(tag) == nil ? .unreadable : .bool(tag.name == "true")
    case "date": node.value = try readText(tag) == nil ? .unreadable : .other("a date")
    case "data": node.value = try readText(tag) == nil ? .unreadable : .other("data")
    default: try skipUnknown(tag)
    }
  }

  private mutating func readDictionary(_ tag: Tag, into node: inout Node, depth: Int) throws(DocumentFault) {
    var fields: [Node.Field] = []
    defer { node.value = .dictionary(fields) }
    try checkDepth(depth)
    let outer = path
    while !tag.isEmpty {
      try skipBetweenElements()
      let tag = try scanner.tag()
      if tag.isClosing { return try checkEnd(tag, of: "dict") }
      guard tag.name == "key" else {
        report("A value has no <key> before it.", at: tag.offset, recovery: "Put a <key> before it, or remove it.")
        var ignored = Node(value: .unreadable)
        try readValue(tag, into: &ignored, depth: depth + 1)
        continue
      }
      guard let key = try readText(tag) else { continue }
      path = outer.appending(key: key)
      let unread = Node(value: .unreadable, offset: tag.offset)
      fields.append(Node.Field(key: key, keyOffset: tag.offset, node: unread))
      try readFieldValue(of: tag, into: &fields[fields.count - 1].node, depth: depth + 1)
      path = outer
    }
  }

  /// Reads the value of a key; without one the fault is reported, and what follows stays to be read.
  private mutating func readFieldValue(of key: Tag, into node: inout Node, depth: Int) throws(DocumentFault) {
    try skipBetweenElements()
    let start = scanner.index
    let tag = try scanner.tag()
    guard !tag.isClosing, tag.name != "key" else {
      report("The key has no value.", at: key.offset, recovery: "Write its value after it, or remove the key.")
      scanner.move(to: start)
      return
    }
    try readValue(tag, into: &node, depth: depth)
  }

  private mutating func readArray(_ tag: Tag, into node: inout Node, depth: Int) throws(DocumentFault) {
    var nodes: [Node] = []
    defer { node.value = .array(nodes) }
    try checkDepth(depth)
    let outer = path
    while !tag.isEmpty {
      try skipBetweenElements()
      let tag = try scanner.tag()
      if tag.isClosing { return try checkEnd(tag, of: "array") }
      path = outer.appending(index: nodes.count)
      nodes.append(Node(value: .unreadable))
      try readValue(tag, into: &nodes[nodes.count - 1], depth: depth + 1)
      path = outer
    }
  }

  private func checkDepth(_ depth: Int) throws(DocumentFault) {
    if depth > SettingsDocument.maximumDepth { throw SettingsDocument.tooDeep(at: scanner.index) }
  }

  private func checkEnd(_ tag: Tag, of name: String) throws(DocumentFault) {
    guard tag.name != name else { return }
    throw DocumentFault(
      message: "Expected </\(name)>, found <\(tag.shownName)>.", offset: tag.offset,
      recovery: "Close the <\(name)> first, or remove the tag.")
  }

  private mutating func readNumber(
    _ tag: Tag, _ convert: (String) -> Node.Value?
  ) throws(DocumentFault) -> Node.Value {
    guard let text = try readText(tag) else { return .unreadable }
    if let value = convert(text.trimmed) { return value }
    report(
      "The content of <\(tag.name)> is not a number, or out of range.", at: tag.offset,
      recovery: "Write a number, or use <string> or <true/>.")
    return .unreadable
  }

  /// Skips an element that property lists do not have.
  private mutating func skipUnknown(_ tag: Tag) throws(DocumentFault) {
    report(
      "<\(tag.shownName)> is not an element of a property list.", at: tag.offset,
      recovery: "Use <string>, <true/>, <false/>, <integer>, <array> or <dict>.")
    guard !tag.isEmpty else { return }
    while !scanner.isAtEnd {
      if scanner.isAtClosingTag(of: tag.name) {
        _ = try scanner.tag()
        return
      }
      scanner.advance()
    }
    throw DocumentFault(
      message: "<\(tag.shownName)> is not closed.", offset: tag.offset, recovery: "Remove it, or close it.")
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
  private mutating func readText(_ tag: Tag) throws(DocumentFault) -> String? {
    guard !tag.isEmpty else { return "" }
    var state = TextState()
    while !scanner.isAtEnd {
      let byte = scanner.byte
      if byte == UInt8(ascii: "<") {
        if scanner.isAtClosingTag(of: tag.name) {
          _ = try scanner.tag()
          return finish(state, of: tag)
        }
        guard try readMarkup(in: tag, &state) else { return nil }
      } else if byte == UInt8(ascii: "&") {
        readReference(&state)
      } else {
        if Self.isControl(byte), state.controlOffset == nil { state.controlOffset = scanner.index }
        state.text.append(byte)
        scanner.advance()
      }
    }
    throw DocumentFault(
      message: "<\(tag.shownName)> is not closed.", offset: tag.offset, recovery: "Close it with </\(tag.name)>.")
  }

  private func finish(_ state: TextState, of tag: Tag) -> String? {
    let text = String(decoding: state.text, as: UTF8.self)
    if let offset = state.controlOffset {
      report("The text contains a control character.", at: offset, recovery: "Remove it.")
    } else if state.markupOffset != nil, Placeholder.isPlaceholder(text) {
      findings.add(
        .placeholder, Placeholder.message, at: path, value: text.trimmed,
        recovery: path.key?.recovery(isGeneric: false) ?? "Write the value in its place, or remove the key.",
        offset: tag.offset)
    } else if let offset = state.ampersandOffset {
      let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      report(
        "An ampersand is not escaped.", at: offset, suggestion: Shown.value(text) == text ? escaped : nil,
        recovery: "Write & as &amp; in XML.")
    } else if let offset = state.markupOffset {
      report("<\(tag.shownName)> contains markup.", at: offset, recovery: "Write < as &lt; if it is not a tag.")
    } else {
      return text
    }
    return nil
  }

  /// Reads a comment, a CDATA section, or `<` as text; returns false when another element begins or ends here.
  private mutating func readMarkup(in tag: Tag, _ state: inout TextState) throws(DocumentFault) -> Bool {
    if try scanner.skipComment() { return true }
    if let data = try scanner.characterData() {
      state.text.append(contentsOf: data)
      return true
    }
    guard !scanner.isAtElement else {
      // Without this a forgotten </string> would swallow all keys after it.
      report("<\(tag.shownName)> is not closed.", at: tag.offset, recovery: "Close it with </\(tag.name)>.")
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

  private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && !TextDecoding.isSpace(byte) }
}

// What may be between the elements.
extension XMLReader {
  /// Reads the XML declaration, comments and the document type.
  private mutating func readProlog() throws(DocumentFault) {
    scanner.skipSpaces()
    while !scanner.isAtEnd {
      let start = scanner.index
      if try scanner.skipComment() {
        checkEncoding(scanner.bytes[start..<scanner.index], at: start)
      } else if scanner.starts(with: "<!") {
        try scanner.skipDocumentType()
      } else if scanner.byte == UInt8(ascii: "<") {
        return
      } else {
        throw DocumentFault(
          message: "Unexpected text before the property list.", offset: start, recovery: "Remove it.")
      }
      scanner.skipSpaces()
    }
    throw DocumentFault(
      message: "The property list is missing.", offset: scanner.index,
      recovery: "Write <plist version=\"1.0\"> and the settings into the file.")
  }

  /// Skips spaces, comments and instructions; text is a fault, reported once.
  private mutating func skipBetweenElements() throws(DocumentFault) {
    var hasText = false
    while !scanner.isAtEnd {
      if try scanner.skipComment() { continue }
      if scanner.byte == UInt8(ascii: "<") { return }
      if !TextDecoding.isSpace(scanner.byte), !hasText {
        report(
          "Unexpected text between the elements.", at: scanner.index,
          recovery: "Put it into a <string>, or remove it.")
        hasText = true
      }
      scanner.advance()
    }
  }

  private func checkEncoding(_ declaration: ArraySlice<UInt8>, at offset: Int) {
    let text = String(decoding: declaration.prefix(200), as: UTF8.self).lowercased()
    guard text.hasPrefix("<?xml"), let name = text.split(separator: "encoding").dropFirst().first else { return }
    let value = name.drop { "= \t\r\n".contains($0) }.dropFirst().prefix { $0 != "\"" && $0 != "'" }
    let isKnown = ["utf-8", "utf8", "utf-16", "utf-16le", "utf-16be", "us-ascii", "ascii"].contains(value)
    // Every other encoding agrees with these in ASCII.
    guard !isKnown, scanner.bytes.contains(where: { $0 >= 0x80 }) else { return }
    report(
      "The file declares an encoding other than UTF-8, and contains other characters than ASCII.",
      kind: .unsupportedEncoding, at: offset, recovery: "Save it as UTF-8, and declare encoding=\"UTF-8\".")
  }
}
