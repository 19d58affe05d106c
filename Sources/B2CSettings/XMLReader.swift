/// A reader of XML property lists that goes on after most faults, so that all of them are reported at once.
///
/// Above all it reads `<string><Enter the Application Id></string>`, the form of a template that was not filled in. Every
/// byte is looked at a bounded number of times.
struct XMLReader {
  /// A tag with the parts that a property list uses.
  private struct Tag {
    var name: String
    var isClosing: Bool
    var isEmpty: Bool
    var offset: Int

    /// The name as messages may show it.
    var shownName: String { (isClosing ? "/" : "") + (Shown.value(name) ?? "…") }
  }

  private let bytes: [UInt8]
  private var index = 0
  /// The path of the value that is being read.
  private var path = SettingsPath()
  /// Whether nothing after a fault could be read.
  private var isStopped = false
  private var findings: Findings

  /// Returns the value of the property list, if there is one, and whether it was read to its end.
  static func read(_ bytes: [UInt8], findings: inout Findings) -> (root: Node?, isComplete: Bool) {
    var reader = XMLReader(bytes: bytes, findings: findings)
    let root = reader.readDocument()
    findings = reader.findings
    return (root, !reader.isStopped)
  }

  private init(bytes: [UInt8], findings: Findings) {
    self.bytes = bytes
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
      let end = index
      guard !isStopped, let tag = readTag(), tag.isClosing, tag.name == "plist" else {
        stop("The <plist> is not closed after its value.", at: end, recovery: "End the file with </plist>.")
        return
      }
      skipBetweenElements()
    }
    guard !isStopped, index < bytes.count else { return }
    fault(
      "Unexpected content after the end of the property list.", at: index,
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
    fault(message, kind: kind, at: offset ?? index, recovery: recovery)
    isStopped = true
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
    let start = index
    guard !isStopped, let tag = readTag() else { return Node(value: .unreadable) }
    guard !tag.isClosing, tag.name != "key" else {
      fault("The key has no value.", at: key.offset, recovery: "Write its value after it, or remove the key.")
      index = start
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
    let end = Array("</\(tag.name)".utf8)
    let start = tag.offset
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "<"), bytes[index...].starts(with: end), let closing = readTag(),
        closing.name == tag.name
      {
        return .unreadable
      }
      index += 1
    }
    stop("<\(tag.shownName)> is not closed.", at: start, recovery: "Remove it, or close it.")
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
    while !isStopped, index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "<") {
        if isClosingTag(of: tag.name) {
          _ = readTag()
          return finish(state, of: tag)
        }
        guard readMarkup(in: tag, &state) else { return nil }
      } else if byte == UInt8(ascii: "&") {
        readReference(&state)
      } else {
        if byte < 0x20, !TextDecoding.isBlank(byte), state.controlOffset == nil { state.controlOffset = index }
        state.text.append(byte)
        index += 1
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
    if starts(with: "<!--", at: index) {
      skip(to: "-->", "A comment is not closed.")
    } else if starts(with: "<?", at: index) {
      skip(to: "?>", "An instruction is not closed.")
    } else if starts(with: "<![CDATA[", at: index) {
      let start = index + 9
      skip(to: "]]>", "A CDATA section is not closed.")
      if !isStopped { state.text.append(contentsOf: bytes[start..<(index - 3)]) }
    } else if isStructure() {
      // Without this a forgotten </string> would swallow all keys after it.
      fault("<\(tag.shownName)> is not closed.", at: tag.offset, recovery: "Close it with </\(tag.name)>.")
      return false
    } else {
      if state.markupOffset == nil { state.markupOffset = index }
      state.text.append(bytes[index])
      index += 1
    }
    return true
  }

  private func isClosingTag(of name: String) -> Bool {
    guard starts(with: "</", at: index), bytes[(index + 2)...].starts(with: name.utf8) else { return false }
    let end = index + 2 + name.utf8.count
    return end < bytes.count && (bytes[end] == UInt8(ascii: ">") || TextDecoding.isBlank(bytes[end]))
  }

  private static func escape(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  /// Returns whether an element of property lists begins or ends here, written as editors write it.
  private func isStructure() -> Bool {
    let structure: [StaticString] = [
      "<key>", "</key>", "<dict>", "</dict>", "<array>", "</array>", "<string>", "</string>", "</plist>", "<true/>",
      "<false/>", "<dict/>", "<array/>", "<string/>", "<integer>",
    ]
    return structure.contains { starts(with: $0, at: index) }
  }

  /// Reads one of XML's five entities or a character reference; any other ampersand is a fault, and text.
  private mutating func readReference(_ state: inout TextState) {
    let entities: [(StaticString, UInt8)] = [
      ("&amp;", 0x26), ("&lt;", 0x3C), ("&gt;", 0x3E), ("&quot;", 0x22), ("&apos;", 0x27),
    ]
    if let (name, byte) = entities.first(where: { starts(with: $0.0, at: index) }) {
      state.text.append(byte)
      index += name.utf8CodeUnitCount
    } else if let (scalar, length) = characterReference() {
      if scalar.value < 0x20, !TextDecoding.isBlank(UInt8(scalar.value)) { state.controlOffset = index }
      state.text.append(contentsOf: Array(String(Character(scalar)).utf8))
      index += length
    } else {
      if state.ampersandOffset == nil { state.ampersandOffset = index }
      state.text.append(bytes[index])
      index += 1
    }
  }

  /// Returns the character of `&#38;` or `&#x26;` (XML 1.0 section 4.1: digits alone, no sign).
  private func characterReference() -> (scalar: Unicode.Scalar, length: Int)? {
    guard starts(with: "&#", at: index) else { return nil }
    let isHexadecimal = starts(with: "&#x", at: index)
    let start = index + (isHexadecimal ? 3 : 2)
    let digits = bytes[start...].prefix(8).prefix { $0 != UInt8(ascii: ";") }
    let end = start + digits.count
    guard end < bytes.count, bytes[end] == UInt8(ascii: ";"), digits.first != UInt8(ascii: "+"),
      let number = UInt32(String(decoding: digits, as: UTF8.self), radix: isHexadecimal ? 16 : 10),
      let scalar = Unicode.Scalar(number)
    else { return nil }
    return (scalar, end + 1 - index)
  }
}

// Tags, and what may be between them.
extension XMLReader {
  private func starts(with text: StaticString, at offset: Int) -> Bool {
    let end = offset + text.utf8CodeUnitCount
    return end <= bytes.count && text.withUTF8Buffer { bytes[offset..<end].elementsEqual($0) }
  }

  /// Reads the XML declaration, comments and the document type.
  private mutating func readProlog() {
    skipBlanks()
    while !isStopped, index < bytes.count {
      if starts(with: "<?", at: index) {
        let start = index
        skip(to: "?>", "The declaration is not closed.")
        if !isStopped { checkEncoding(bytes[start..<index], at: start) }
      } else if starts(with: "<!--", at: index) {
        skip(to: "-->", "A comment is not closed.")
      } else if starts(with: "<!", at: index) {
        readDocumentType()
      } else if bytes[index] == UInt8(ascii: "<") {
        return
      } else {
        stop("Unexpected text before the property list.", recovery: "Remove it.")
      }
      skipBlanks()
    }
    stop("The property list is missing.", recovery: "Write <plist version=\"1.0\"> and the settings into the file.")
  }

  /// Skips spaces, comments and instructions; text is a fault, reported once.
  private mutating func skipBetweenElements() {
    var hasText = false
    while !isStopped, index < bytes.count {
      if starts(with: "<!--", at: index) {
        skip(to: "-->", "A comment is not closed.")
      } else if starts(with: "<?", at: index) {
        skip(to: "?>", "An instruction is not closed.")
      } else if bytes[index] == UInt8(ascii: "<") {
        return
      } else if TextDecoding.isBlank(bytes[index]) {
        index += 1
      } else {
        if !hasText {
          fault("Unexpected text between the elements.", at: index, recovery: "Put it into a <string>, or remove it.")
        }
        hasText = true
        index += 1
      }
    }
  }

  /// Reads the tag at the current place; returns `nil`, after a fault, when there is none.
  private mutating func readTag() -> Tag? {
    let start = index
    guard index < bytes.count, bytes[index] == UInt8(ascii: "<") else {
      stop("The file ends too early: a closing tag is missing.", recovery: "Close what is open, and end with </plist>.")
      return nil
    }
    index += 1
    let isClosing = index < bytes.count && bytes[index] == UInt8(ascii: "/")
    if isClosing { index += 1 }
    let nameStart = index
    while index < bytes.count, Self.isNameByte(bytes[index]) { index += 1 }
    let name = String(decoding: bytes[nameStart..<index], as: UTF8.self)
    guard !name.isEmpty else {
      stop("Unexpected < without a tag name.", at: start, recovery: "Write < as &lt; if it is not a tag.")
      return nil
    }
    guard skipAttributes() else {
      stop("The tag <\(Shown.value(name) ?? "…")> is not closed.", at: start, recovery: "Close it with >.")
      return nil
    }
    let isEmpty = !isClosing && bytes[index - 2] == UInt8(ascii: "/")
    return Tag(name: name, isClosing: isClosing, isEmpty: isEmpty, offset: start)
  }

  private mutating func skipBlanks() {
    while index < bytes.count, TextDecoding.isBlank(bytes[index]) { index += 1 }
  }

  /// Skips to the end of the next occurrence of a text.
  private mutating func skip(to end: StaticString, _ message: String) {
    let start = index
    while index < bytes.count {
      if starts(with: end, at: index) {
        index += end.utf8CodeUnitCount
        return
      }
      index += 1
    }
    stop(message, at: start, recovery: "Close it with \(end).")
  }

  /// Skips to the end of a tag; attributes have no meaning in a property list.
  private mutating func skipAttributes() -> Bool {
    var quote: UInt8?
    while index < bytes.count {
      let byte = bytes[index]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: "<") {
        return false
      } else if byte == UInt8(ascii: ">") {
        index += 1
        return true
      }
      index += 1
    }
    return false
  }

  private mutating func readDocumentType() {
    let start = index
    index += 2
    var quote: UInt8?
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: "[") {
        stop(
          "The document type declares rules or entities.", kind: .documentTypeDefinition, at: start,
          recovery: "Remove the part in [ ] brackets: a property list needs none.")
        return
      } else if byte == UInt8(ascii: ">") {
        return
      }
    }
    stop("The document type is not closed.", at: start, recovery: "Close it with >.")
  }

  private mutating func checkEncoding(_ declaration: ArraySlice<UInt8>, at offset: Int) {
    let text = String(decoding: declaration.prefix(200), as: UTF8.self).lowercased()
    guard text.hasPrefix("<?xml"), let name = text.split(separator: "encoding").dropFirst().first else { return }
    let value = name.drop { "= \t\r\n".contains($0) }.dropFirst().prefix { $0 != "\"" && $0 != "'" }
    let isKnown = ["utf-8", "utf8", "utf-16", "utf-16le", "utf-16be", "us-ascii", "ascii"].contains(value)
    // Every other encoding agrees with these in ASCII.
    if !isKnown, bytes.contains(where: { $0 >= 0x80 }) {
      fault(
        "The file declares the encoding \(Shown.value(String(value.prefix(40))) ?? "…"), and contains other characters than ASCII.",
        kind: .unsupportedEncoding, at: offset, recovery: "Save it as UTF-8, and declare encoding=\"UTF-8\".")
    }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    !TextDecoding.isBlank(byte) && !"<>/\"'=".utf8.contains(byte)
  }
}
