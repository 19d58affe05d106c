/// A cursor in the bytes of an XML property list: tags, comments, sections and references.
struct XMLScanner {
  /// A tag with the parts that a property list uses.
  struct Tag {
    let name: String
    let isClosing: Bool
    let isEmpty: Bool
    let offset: Int

    /// The name as messages may show it.
    var shownName: String { (isClosing ? "/" : "") + (Shown.value(name) ?? "…") }
  }

  let bytes: [UInt8]
  private(set) var index = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { index >= bytes.count }
  /// The byte at the cursor, or 0 at the end.
  var byte: UInt8 { isAtEnd ? 0 : bytes[index] }

  /// Returns whether a text begins at the cursor.
  func starts(with text: StaticString) -> Bool {
    let end = index + text.utf8CodeUnitCount
    return end <= bytes.count && text.withUTF8Buffer { bytes[index..<end].elementsEqual($0) }
  }

  mutating func advance(by count: Int = 1) {
    index = min(index + count, bytes.count)
  }

  mutating func move(to offset: Int) {
    index = min(offset, bytes.count)
  }

  mutating func skipSpaces() {
    while !isAtEnd, TextDecoding.isSpace(byte) { index += 1 }
  }

  /// Skips to the end of the next occurrence of a text.
  private mutating func skip(to end: StaticString, _ message: String) throws(DocumentFault) {
    let start = index
    while !isAtEnd {
      if starts(with: end) {
        advance(by: end.utf8CodeUnitCount)
        return
      }
      index += 1
    }
    throw DocumentFault(message: message, offset: start, recovery: "Close it with \(end).")
  }
}

// Tags.
extension XMLScanner {
  /// Reads the tag at the cursor.
  mutating func tag() throws(DocumentFault) -> Tag {
    let start = index
    guard byte == UInt8(ascii: "<") else {
      throw DocumentFault(
        message: "The file ends too early: a closing tag is missing.", offset: start,
        recovery: "Close what is open, and end with </plist>.")
    }
    advance()
    let isClosing = byte == UInt8(ascii: "/")
    if isClosing { advance() }
    let nameStart = index
    while !isAtEnd, Self.isNameByte(byte) { index += 1 }
    let name = String(decoding: bytes[nameStart..<index], as: UTF8.self)
    guard !name.isEmpty else {
      throw DocumentFault(
        message: "Unexpected < without a tag name.", offset: start, recovery: "Write < as &lt; if it is not a tag.")
    }
    guard skipAttributes() else {
      throw DocumentFault(
        message: "The tag <\(Shown.value(name) ?? "…")> is not closed.", offset: start, recovery: "Close it with >.")
    }
    let isEmpty = !isClosing && bytes[index - 2] == UInt8(ascii: "/")
    return Tag(name: name, isClosing: isClosing, isEmpty: isEmpty, offset: start)
  }

  /// Skips to the end of a tag; attributes have no meaning in a property list.
  private mutating func skipAttributes() -> Bool {
    var quote: UInt8?
    while !isAtEnd {
      let byte = byte
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: "<") {
        return false
      } else if byte == UInt8(ascii: ">") {
        advance()
        return true
      }
      advance()
    }
    return false
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    !TextDecoding.isSpace(byte) && !"<>/\"'=".utf8.contains(byte)
  }

  /// Returns whether the closing tag of a name is at the cursor.
  func isAtClosingTag(of name: String) -> Bool {
    guard starts(with: "</"), bytes[(index + 2)...].starts(with: name.utf8) else { return false }
    let end = index + 2 + name.utf8.count
    return end < bytes.count && (bytes[end] == UInt8(ascii: ">") || TextDecoding.isSpace(bytes[end]))
  }

  /// Whether an element of property lists begins or ends at the cursor, written as editors write it.
  var isAtElement: Bool {
    let elements: [StaticString] = [
      "<key>", "</key>", "<dict>", "</dict>", "<array>", "</array>", "<string>", "</string>", "</plist>", "<true/>",
      "<false/>", "<dict/>", "<array/>", "<string/>", "<integer>",
    ]
    return elements.contains { starts(with: $0) }
  }
}

// Everything else.
extension XMLScanner {
  /// Skips the comment or instruction at the cursor; returns false when there is none.
  mutating func skipComment() throws(DocumentFault) -> Bool {
    if starts(with: "<!--") {
      try skip(to: "-->", "A comment is not closed.")
    } else if starts(with: "<?") {
      try skip(to: "?>", "An instruction is not closed.")
    } else {
      return false
    }
    return true
  }

  /// Reads the CDATA section at the cursor; returns `nil` when there is none.
  mutating func characterData() throws(DocumentFault) -> ArraySlice<UInt8>? {
    guard starts(with: "<![CDATA[") else { return nil }
    let start = index + 9
    try skip(to: "]]>", "A CDATA section is not closed.")
    return bytes[start..<(index - 3)]
  }

  /// Skips the document type at the cursor, which may declare nothing.
  mutating func skipDocumentType() throws(DocumentFault) {
    let start = index
    advance(by: 2)
    var quote: UInt8?
    while !isAtEnd {
      let byte = byte
      advance()
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: "[") {
        throw DocumentFault(
          kind: .documentTypeDefinition, message: "The document type declares rules or entities.", offset: start,
          recovery: "Remove the part in [ ] brackets: a property list needs none.")
      } else if byte == UInt8(ascii: ">") {
        return
      }
    }
    throw DocumentFault(message: "The document type is not closed.", offset: start, recovery: "Close it with >.")
  }

  /// Reads one of XML's five entities or a character reference; returns `nil` for any other ampersand.
  mutating func reference() -> Unicode.Scalar? {
    let entities: [(StaticString, Unicode.Scalar)] = [
      ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"),
    ]
    if let (name, scalar) = entities.first(where: { starts(with: $0.0) }) {
      advance(by: name.utf8CodeUnitCount)
      return scalar
    }
    guard starts(with: "&#") else { return nil }
    let isHexadecimal = starts(with: "&#x")
    let start = index + (isHexadecimal ? 3 : 2)
    let digits = bytes[start...].prefix(8).prefix { $0 != UInt8(ascii: ";") }
    let end = start + digits.count
    // Digits alone (XML 1.0 section 4.1): `UInt32` takes a sign too.
    guard end < bytes.count, bytes[end] == UInt8(ascii: ";"), digits.first != UInt8(ascii: "+"),
      let number = UInt32(String(decoding: digits, as: UTF8.self), radix: isHexadecimal ? 16 : 10),
      let scalar = Unicode.Scalar(number)
    else { return nil }
    index = end + 1
    return scalar
  }
}
