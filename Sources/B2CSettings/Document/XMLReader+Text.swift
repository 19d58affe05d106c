// The text inside an element.
extension XMLReader {
  /// What was seen while a text was read, beside the text.
  private struct TextState {
    var text: [UInt8] = []
    var markupOffset: Int?
    var ampersandOffset: Int?
    var controlOffset: Int?
  }

  /// Reads up to the closing tag; nothing, after a fault, when the text cannot be used.
  ///
  /// Markup inside is kept as text, since `<Enter …>` is a template's placeholder, and noted when the text is complete.
  mutating func readText(_ tag: XMLTag) -> String? {
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
        if byte < 0x20, !TextFormat.isBlank(byte), state.controlOffset == nil { state.controlOffset = index }
        state.text.append(byte)
        index += 1
      }
    }
    stop("<\(tag.shownName)> is not closed.", at: tag.offset, advice: "Close it with </\(tag.name)>.")
    return nil
  }

  private mutating func finish(_ state: TextState, of tag: XMLTag) -> String? {
    let text = String(decoding: state.text, as: UTF8.self)
    if let offset = state.controlOffset {
      fault("A control character stands in the text.", at: offset, advice: "Remove it.")
      return nil
    }
    if state.markupOffset != nil, Placeholder.isPlaceholder(text) {
      notePlaceholder(text, at: tag.offset)
      return nil
    }
    if let offset = state.ampersandOffset {
      fault(
        "An ampersand is not escaped.", at: offset, advice: "Write & as &amp; in XML.",
        correctedValue: Shown.value(text) == text ? XMLWriter.escape(text) : nil)
      return nil
    }
    if let offset = state.markupOffset {
      fault("Markup stands inside <\(tag.shownName)>.", at: offset, advice: "Write < as &lt; where no tag is meant.")
      return nil
    }
    return text
  }

  /// A comment, a CDATA section, or `<` that begins nothing; false when another element begins or ends here.
  private mutating func readMarkup(in tag: XMLTag, _ state: inout TextState) -> Bool {
    if starts(with: "<!--", at: index) {
      skip(to: "-->", "A comment is not closed.")
    } else if starts(with: "<?", at: index) {
      skip(to: "?>", "An instruction is not closed.")
    } else if starts(with: "<![CDATA[", at: index) {
      let start = index + 9
      skip(to: "]]>", "A CDATA section is not closed.")
      if !isStopped { state.text.append(contentsOf: bytes[start..<(index - 3)]) }
    } else if isStructure() {
      // Without this a forgotten </string> would swallow all keys behind it.
      fault("<\(tag.shownName)> is not closed.", at: tag.offset, advice: "Close it with </\(tag.name)>.")
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
    return end < bytes.count && (bytes[end] == UInt8(ascii: ">") || TextFormat.isBlank(bytes[end]))
  }

  /// Whether an element of property lists begins or ends here, written exactly as editors write it.
  private func isStructure() -> Bool {
    let structure: [StaticString] = [
      "<key>", "</key>", "<dict>", "</dict>", "<array>", "</array>", "<string>", "</string>", "</plist>", "<true/>",
      "<false/>", "<dict/>", "<array/>", "<string/>", "<integer>",
    ]
    return structure.contains { starts(with: $0, at: index) }
  }

  /// One of XML's five entities or a character by its number; any other ampersand is a fault, and text.
  private mutating func readReference(_ state: inout TextState) {
    let entities: [(StaticString, UInt8)] = [
      ("&amp;", 0x26), ("&lt;", 0x3C), ("&gt;", 0x3E), ("&quot;", 0x22), ("&apos;", 0x27),
    ]
    if let (name, byte) = entities.first(where: { starts(with: $0.0, at: index) }) {
      state.text.append(byte)
      index += name.utf8CodeUnitCount
    } else if let (scalar, length) = characterReference() {
      if scalar.value < 0x20, !TextFormat.isBlank(UInt8(scalar.value)) { state.controlOffset = index }
      state.text.append(contentsOf: Array(String(Character(scalar)).utf8))
      index += length
    } else {
      if state.ampersandOffset == nil { state.ampersandOffset = index }
      state.text.append(bytes[index])
      index += 1
    }
  }

  /// `&#38;` or `&#x26;`.
  private func characterReference() -> (scalar: Unicode.Scalar, length: Int)? {
    guard starts(with: "&#", at: index) else { return nil }
    let isHexadecimal = starts(with: "&#x", at: index)
    let start = index + (isHexadecimal ? 3 : 2)
    let digits = bytes[start...].prefix(8).prefix { $0 != UInt8(ascii: ";") }
    let end = start + digits.count
    guard end < bytes.count, bytes[end] == UInt8(ascii: ";"),
      let number = UInt32(String(decoding: digits, as: UTF8.self), radix: isHexadecimal ? 16 : 10),
      let scalar = Unicode.Scalar(number)
    else { return nil }
    return (scalar, end + 1 - index)
  }
}
