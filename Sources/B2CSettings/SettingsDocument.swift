import B2CCore

/// The bytes of a settings file as a tree of values, in any of its formats.
///
/// Foundation's readers of XML and JSON report no line, accept old-style property lists and repeated keys silently, and
/// the tutorial's template is not even well-formed XML. So those formats have readers here; binary files are read by
/// ``BinaryReader``.
struct SettingsDocument {
  /// The largest file in bytes: many times what the longest real one needs.
  static let maximumSize = 65_536
  /// The most arrays and dictionaries inside each other.
  static let maximumDepth = JSONReader.maximumDepth

  /// The outermost dictionary, as far as it could be read.
  private(set) var members: [Node.Member]?
  /// Whether the file was read to its end, so that absent keys are really missing.
  private(set) var isComplete = false
  /// The text for lines and columns; `nil` for a binary file.
  private(set) var text: SourceText?

  /// Reads a file's bytes and reports everything that is wrong with its form.
  init(_ bytes: [UInt8], findings: inout Findings) {
    guard bytes.count <= Self.maximumSize else {
      findings.add(
        .fileTooLarge, "The file is larger than \(Self.maximumSize / 1024) KiB.",
        recovery: "Use the settings file, which is a few hundred bytes long.", offset: nil)
      return
    }
    if bytes.starts(with: Array("bplist".utf8)) {
      do throws(BinaryReader.Failure) {
        let root = try BinaryReader.read(bytes)
        isComplete = true
        take(root, findings: &findings)
      } catch {
        findings.add(error.kind, error.message, recovery: error.recovery, offset: nil)
      }
      return
    }
    do throws(TextDecoding.Failure) {
      readText(try TextDecoding.utf8(bytes), findings: &findings)
    } catch {
      if error.offset != nil { text = SourceText(bytes) }
      findings.add(
        .unsupportedEncoding, error.message, recovery: "Save it as UTF-8.", offset: error.offset)
    }
  }

  private mutating func readText(_ bytes: [UInt8], findings: inout Findings) {
    text = SourceText(bytes)
    switch bytes.first(where: { !TextDecoding.isBlank($0) }) {
    case nil:
      findings.add(.emptyFile, "The file is empty.", recovery: "Write the settings into it.", offset: nil)
    case UInt8(ascii: "<"):
      let (root, isComplete) = XMLReader.read(bytes, findings: &findings)
      self.isComplete = isComplete
      if let root { take(root, findings: &findings) }
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      readJSON(bytes, findings: &findings)
    default:
      findings.add(
        .notAPropertyList, "The file is neither a property list nor JSON.",
        recovery: "Begin it with <plist version=\"1.0\">, or with { for JSON.", offset: 0)
    }
  }

  private mutating func take(_ root: Node, findings: inout Findings) {
    switch root.value {
    case .dictionary(let members): self.members = members
    case .unreadable: break
    case _ where !isComplete: break
    default:
      findings.add(
        .notADictionary, "The outermost value is \(root.typeName), not a dictionary.",
        recovery: "Put the keys and their values into one dictionary.", offset: root.offset)
    }
  }
}

// JSON.
extension SettingsDocument {
  private mutating func readJSON(_ bytes: [UInt8], findings: inout Findings) {
    let (root, fault) = JSONReader.document(bytes)
    isComplete = fault == nil
    guard let fault else {
      take(Node(root), findings: &findings)
      return
    }
    // In the old form of property lists, { key = value; }, an equals sign comes where JSON has a colon.
    if let mark = bytes.first(where: { "=:".utf8.contains($0) }), mark == UInt8(ascii: "=") {
      findings.add(
        .notAPropertyList, "The file is an OpenStep property list, which is not supported.",
        recovery: "Convert it with `plutil -convert xml1`, or write it as JSON.", offset: 0)
      return
    }
    let isTooDeep = fault.kind == .tooDeep
    findings.add(
      isTooDeep ? .nestingTooDeep : .malformed, Self.message(fault.kind),
      recovery: isTooDeep
        ? "Settings need three levels at most." : "Fix the JSON at this place; it is read up to here only.",
      offset: fault.offset)
    take(Node(root), findings: &findings)
  }

  private static func message(_ kind: JSONFault.Kind) -> String {
    switch kind {
    case .notAnObject: "The outermost value is not an object."
    case .missingValue: "Expected a value; strings need quotation marks."
    case .missingKey: "Expected a key in quotation marks."
    case .missingColon: "Expected a colon after the key."
    case .missingComma: "Expected a comma or a closing bracket."
    case .trailingContent: "Unexpected content after the closing bracket."
    case .unterminatedString: "A string is not closed."
    case .controlCharacter: "A string contains a control character or a line break."
    case .invalidEscape: "A string contains an unknown escape, or half of a character."
    case .invalidUTF8: "A string is not UTF-8."
    case .tooManyMarks: "A string has more than 30 combining marks in a row."
    case .numberOutOfRange: "A number is out of range."
    case .duplicateKey: "A key appears twice."
    case .tooDeep: "Nesting exceeds \(maximumDepth) levels."
    }
  }
}

extension Node {
  fileprivate init(_ node: JSONNode) {
    let value: Value =
      switch node.value {
      case .null: .null
      case .bool(let flag): .bool(flag)
      case .integer(let number): .integer(number)
      case .number(let number): .real(number)
      case .string(let text): .string(text)
      case .array(let nodes): .array(nodes.map { Node($0) })
      case .object(let fields):
        .dictionary(fields.map { Member(key: $0.name, keyOffset: $0.nameOffset, node: Node($0.node)) })
      case .unreadable: .unreadable
      }
    self.init(value: value, offset: node.offset)
  }
}

/// Bytes of a text file to UTF-8 without a byte order mark.
enum TextDecoding {
  struct Failure: Error {
    let message: String
    var offset: Int?
  }

  /// Decodes UTF-8 and UTF-16, with or without a byte order mark.
  static func utf8(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
    let head = Array(bytes.prefix(4)) + [UInt8](repeating: 1, count: max(0, 4 - bytes.count))
    switch (head[0], head[1], head[2], head[3]) {
    case (0xFF, 0xFE, 0, 0), (0, 0, 0xFE, 0xFF): throw Failure(message: "The file is UTF-32.")
    case (0xFF, 0xFE, _, _): return try utf16(bytes.dropFirst(2), isLittleEndian: true)
    case (0xFE, 0xFF, _, _): return try utf16(bytes.dropFirst(2), isLittleEndian: false)
    case (0xEF, 0xBB, 0xBF, _): return try checked(Array(bytes.dropFirst(3)))
    case (1..., 0, 1..., 0): return try utf16(bytes[...], isLittleEndian: true)
    case (0, 1..., 0, 1...): return try utf16(bytes[...], isLittleEndian: false)
    default: return try checked(bytes)
    }
  }

  static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private static func checked(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
    let repaired = String(decoding: bytes, as: UTF8.self).utf8
    guard !repaired.elementsEqual(bytes) else { return bytes }
    let same = zip(repaired, bytes).prefix { $0 == $1 }
    throw Failure(message: "The file contains a byte that is not UTF-8.", offset: same.count)
  }

  private static func utf16(_ bytes: ArraySlice<UInt8>, isLittleEndian: Bool) throws(Failure) -> [UInt8] {
    let failure = Failure(message: "The file is not valid UTF-16.")
    guard bytes.count.isMultiple(of: 2) else { throw failure }
    let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isLittleEndian ? second << 8 | first : first << 8 | second
    }
    let text = String(decoding: units, as: UTF16.self)
    guard text.utf16.elementsEqual(units) else { throw failure }
    return Array(text.utf8)
  }
}
