/// A tag as far as a property list needs it.
struct XMLTag {
  var name: String
  var isClosing: Bool
  var isEmpty: Bool
  var offset: Int

  /// The name as messages may show it.
  var shownName: String { (isClosing ? "/" : "") + (Shown.value(name) ?? "…") }
}

// Tags, and what may stand between them.
extension XMLReader {
  func starts(with text: StaticString, at offset: Int) -> Bool {
    let end = offset + text.utf8CodeUnitCount
    return end <= bytes.count && text.withUTF8Buffer { bytes[offset..<end].elementsEqual($0) }
  }

  /// The XML declaration, comments and the document type.
  mutating func readProlog() {
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
        stop("Text stands where the property list should begin.", advice: "Remove what stands before <plist>.")
      }
      skipBlanks()
    }
    stop("The property list is missing.", advice: "Write <plist version=\"1.0\"> and the settings into the file.")
  }

  /// Blanks, comments and instructions; text is a fault, once, and is passed over.
  mutating func skipBetweenElements() {
    var hasText = false
    while !isStopped, index < bytes.count {
      if starts(with: "<!--", at: index) {
        skip(to: "-->", "A comment is not closed.")
      } else if starts(with: "<?", at: index) {
        skip(to: "?>", "An instruction is not closed.")
      } else if bytes[index] == UInt8(ascii: "<") {
        return
      } else if TextFormat.isBlank(bytes[index]) {
        index += 1
      } else {
        if !hasText {
          fault("Text stands between the elements.", at: index, advice: "Put it into a <string>, or remove it.")
        }
        hasText = true
        index += 1
      }
    }
  }

  /// The tag at the current place; nothing, after a fault, when there is none.
  mutating func readTag() -> XMLTag? {
    let start = index
    guard index < bytes.count, bytes[index] == UInt8(ascii: "<") else {
      stop("The file ends too early: a closing tag is missing.", advice: "Close what is open, and end with </plist>.")
      return nil
    }
    index += 1
    let isClosing = index < bytes.count && bytes[index] == UInt8(ascii: "/")
    if isClosing { index += 1 }
    let nameStart = index
    while index < bytes.count, Self.isNameByte(bytes[index]) { index += 1 }
    let name = String(decoding: bytes[nameStart..<index], as: UTF8.self)
    guard !name.isEmpty else {
      stop("A tag without a name stands here.", at: start, advice: "Write < as &lt; where no tag is meant.")
      return nil
    }
    guard skipAttributes() else {
      stop("The tag <\(Shown.value(name) ?? "…")> is not closed.", at: start, advice: "Close it with >.")
      return nil
    }
    let isEmpty = !isClosing && bytes[index - 2] == UInt8(ascii: "/")
    return XMLTag(name: name, isClosing: isClosing, isEmpty: isEmpty, offset: start)
  }

  mutating func skipBlanks() {
    while index < bytes.count, TextFormat.isBlank(bytes[index]) { index += 1 }
  }

  /// Goes behind the next occurrence of a text.
  mutating func skip(to end: StaticString, _ message: String) {
    let start = index
    while index < bytes.count {
      if starts(with: end, at: index) {
        index += end.utf8CodeUnitCount
        return
      }
      index += 1
    }
    stop(message, at: start, advice: "Close it with \(end).")
  }

  /// Goes behind the `>` of a tag; attributes have no meaning in a property list.
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
          "The document type declares rules or entities of its own.", kind: .documentTypeDefinition, at: start,
          advice: "Remove the part in [ ] brackets: a property list needs none.")
        return
      } else if byte == UInt8(ascii: ">") {
        return
      }
    }
    stop("The document type is not closed.", at: start, advice: "Close it with >.")
  }

  private mutating func checkEncoding(_ declaration: ArraySlice<UInt8>, at offset: Int) {
    let text = String(decoding: declaration.prefix(200), as: UTF8.self).lowercased()
    guard text.hasPrefix("<?xml"), let name = text.split(separator: "encoding").dropFirst().first else { return }
    let value = name.drop { "= \t\r\n".contains($0) }.dropFirst().prefix { $0 != "\"" && $0 != "'" }
    let isKnown = ["utf-8", "utf8", "utf-16", "utf-16le", "utf-16be", "us-ascii", "ascii"].contains(value)
    // Every other encoding agrees with these on ASCII.
    if !isKnown, bytes.contains(where: { $0 >= 0x80 }) {
      fault(
        "The file declares the encoding \(Shown.value(String(value.prefix(40))) ?? "…"), and is not pure ASCII.",
        kind: .unsupportedEncoding, at: offset, advice: "Save it as UTF-8, and declare encoding=\"UTF-8\".")
    }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    !TextFormat.isBlank(byte) && !"<>/\"'=".utf8.contains(byte)
  }
}
