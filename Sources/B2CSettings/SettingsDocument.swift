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
  private(set) var fields: [Node.Field]?
  /// Whether the file was read to its end, so that absent keys are really missing.
  private(set) var isComplete = false
  /// The text as UTF-8, for lines and columns; `nil` for a binary file.
  private(set) var text: [UInt8]?

  /// Reads a file's bytes and reports everything that is wrong with its form.
  init(_ bytes: [UInt8], findings: Findings) {
    do throws(DocumentFault) {
      try read(bytes, findings: findings)
    } catch {
      if text == nil, error.offset != nil { text = bytes }
      findings.add(error)
    }
  }

  /// The fault of arrays and dictionaries that are nested too deeply.
  static func tooDeep(at offset: Int?) -> DocumentFault {
    DocumentFault(
      kind: .nestingTooDeep, message: "Nesting exceeds \(maximumDepth) levels.", offset: offset,
      recovery: "Settings need three levels at most.")
  }

  private mutating func read(_ bytes: [UInt8], findings: Findings) throws(DocumentFault) {
    guard bytes.count <= Self.maximumSize else {
      throw DocumentFault(
        kind: .fileTooLarge, message: "The file is larger than \(Self.maximumSize / 1024) KiB.",
        recovery: "Use the settings file, which is a few hundred bytes long.")
    }
    if bytes.starts(with: Array("bplist".utf8)) {
      let root = try BinaryReader.read(bytes)
      isComplete = true
      return try take(root)
    }
    let text = try TextDecoding.utf8(bytes)
    self.text = text
    switch text.first(where: { !TextDecoding.isSpace($0) }) {
    case nil:
      throw DocumentFault(kind: .emptyFile, message: "The file is empty.", recovery: "Write the settings into it.")
    case UInt8(ascii: "<"):
      let (root, isComplete) = XMLReader.read(text, findings: findings)
      self.isComplete = isComplete
      try take(root)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      try readJSON(text)
    default:
      throw DocumentFault(
        kind: .notAPropertyList, message: "The file is neither a property list nor JSON.", offset: 0,
        recovery: "Begin it with <plist version=\"1.0\">, or with { for JSON.")
    }
  }

  private mutating func take(_ root: Node) throws(DocumentFault) {
    switch root.value {
    case .dictionary(let fields): self.fields = fields
    case .unreadable: break
    case _ where !isComplete: break
    default:
      throw DocumentFault(
        kind: .notADictionary, message: "The outermost value is \(root.typeName), not a dictionary.",
        offset: root.offset, recovery: "Put the keys and their values into one dictionary.")
    }
  }
}

// JSON.
extension SettingsDocument {
  private mutating func readJSON(_ bytes: [UInt8]) throws(DocumentFault) {
    let (root, fault) = JSONReader.document(bytes)
    isComplete = fault == nil
    guard let fault else { return try take(Node(root)) }
    // In the old form of property lists, { key = value; }, an equals sign comes where JSON has a colon.
    if let mark = bytes.first(where: { "=:".utf8.contains($0) }), mark == UInt8(ascii: "=") {
      throw DocumentFault(
        kind: .notAPropertyList, message: "The file is an OpenStep property list, which is not supported.", offset: 0,
        recovery: "Convert it with `plutil -convert xml1`, or write it as JSON.")
    }
    try take(Node(root))
    if fault.kind == .tooDeep { throw Self.tooDeep(at: fault.offset) }
    throw DocumentFault(
      message: "The JSON \(fault).", offset: fault.offset,
      recovery: "Fix it at this place, where reading stops; keys and strings need quotation marks.")
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
        .dictionary(fields.map { Field(key: $0.name, keyOffset: $0.nameOffset, node: Node($0.node)) })
      case .unreadable: .unreadable
      }
    self.init(value: value, offset: node.offset)
  }
}

/// Bytes of a text file to UTF-8 without a byte order mark.
enum TextDecoding {
  /// Decodes UTF-8 and UTF-16, with or without a byte order mark.
  static func utf8(_ bytes: [UInt8]) throws(DocumentFault) -> [UInt8] {
    let head = Array(bytes.prefix(4)) + [UInt8](repeating: 1, count: max(0, 4 - bytes.count))
    switch (head[0], head[1], head[2], head[3]) {
    case (0xFF, 0xFE, 0, 0), (0, 0, 0xFE, 0xFF): throw fault("The file is UTF-32.")
    case (0xFF, 0xFE, _, _): return try utf16(bytes.dropFirst(2), isLittleEndian: true)
    case (0xFE, 0xFF, _, _): return try utf16(bytes.dropFirst(2), isLittleEndian: false)
    case (0xEF, 0xBB, 0xBF, _): return try checked(Array(bytes.dropFirst(3)))
    case (1..., 0, 1..., 0): return try utf16(bytes[...], isLittleEndian: true)
    case (0, 1..., 0, 1...): return try utf16(bytes[...], isLittleEndian: false)
    default: return try checked(bytes)
    }
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private static func fault(_ message: String, at offset: Int? = nil) -> DocumentFault {
    DocumentFault(kind: .unsupportedEncoding, message: message, offset: offset, recovery: "Save it as UTF-8.")
  }

  private static func checked(_ bytes: [UInt8]) throws(DocumentFault) -> [UInt8] {
    let repaired = String(decoding: bytes, as: UTF8.self).utf8
    guard !repaired.elementsEqual(bytes) else { return bytes }
    throw fault(
      "The file contains a byte that is not UTF-8.", at: zip(repaired, bytes).prefix { $0 == $1 }.count)
  }

  private static func utf16(_ bytes: ArraySlice<UInt8>, isLittleEndian: Bool) throws(DocumentFault) -> [UInt8] {
    let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isLittleEndian ? second << 8 | first : first << 8 | second
    }
    let text = String(decoding: units, as: UTF16.self)
    guard bytes.count.isMultiple(of: 2), text.utf16.elementsEqual(units) else {
      throw fault("The file is not valid UTF-16.")
    }
    return Array(text.utf8)
  }
}
