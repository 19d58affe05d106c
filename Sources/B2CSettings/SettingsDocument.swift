import Foundation

/// The bytes of a settings file as a tree of values, which Foundation reads.
struct SettingsDocument {
  /// The largest file in bytes: many times what the longest real one needs.
  static let maximumSize = 65_536

  /// The outermost dictionary, as far as it could be read.
  private(set) var fields: [Node.Field]?
  /// Whether the file was read to its end, so that absent keys are really missing.
  private(set) var isComplete = false

  /// Reads a file's bytes and reports everything that is wrong with its form.
  init(_ bytes: [UInt8], findings: Findings) {
    do throws(DocumentFault) {
      try read(bytes, findings: findings)
    } catch {
      findings.add(error)
    }
  }

  private mutating func read(_ bytes: [UInt8], findings: Findings) throws(DocumentFault) {
    guard bytes.count <= Self.maximumSize else {
      throw DocumentFault(
        kind: .fileTooLarge, message: "The file is larger than \(Self.maximumSize / 1024) KiB.",
        recovery: "Use the settings file, which is a few hundred bytes long.")
    }
    guard !bytes.starts(with: "bplist".utf8) else {
      isComplete = true
      return try take(try BinaryPropertyList.read(Data(bytes)), at: nil)
    }
    let text = Array(bytes.dropFirst(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0))
    findings.text = text
    try Self.check(text)
    let scan = PropertyListScan(text, findings: findings)
    isComplete = scan.isComplete
    guard let value = try? PropertyListSerialization.propertyList(from: scan.copy, options: [], format: nil) else {
      // After a fault before the first value, which is reported.
      if findings.hasErrors { return }
      throw DocumentFault(
        message: "Foundation cannot read the property list.", offset: 0, recovery: "Check it with `plutil -lint`.")
    }
    try take(Node(value, at: SettingsPath(), unreadable: scan.unreadable, findings: findings), at: 0)
  }

  private mutating func take(_ root: Node, at offset: Int?) throws(DocumentFault) {
    switch root {
    case .dictionary(let fields): self.fields = fields
    case .unreadable: break
    case _ where !isComplete: break
    default:
      throw DocumentFault(
        kind: .notADictionary, message: "The outermost value is \(root.typeName), not a dictionary.", offset: offset,
        recovery: "Put the keys and their values into one dictionary.")
    }
  }

  /// Checks that a text is UTF-8, and begins like XML.
  private static func check(_ text: [UInt8]) throws(DocumentFault) {
    let repaired = String(decoding: text, as: UTF8.self).utf8
    guard repaired.elementsEqual(text) else {
      throw DocumentFault(
        kind: .unsupportedEncoding, message: "The file contains a byte that is not UTF-8.",
        offset: zip(repaired, text).prefix { $0 == $1 }.count, recovery: "Save it as UTF-8.")
    }
    guard let first = text.first(where: { !" \t\r\n".utf8.contains($0) }) else {
      throw DocumentFault(kind: .emptyFile, message: "The file is empty.", recovery: "Write the settings into it.")
    }
    guard first == UInt8(ascii: "<") else {
      throw DocumentFault(
        kind: .notAPropertyList, message: "The file is not a property list.", offset: 0,
        recovery: "Begin it with <plist version=\"1.0\">, or convert it with `plutil -convert xml1`.")
    }
    let declaration = String(decoding: text.prefix(200), as: UTF8.self).lowercased().prefix { $0 != ">" }
    // Every other encoding agrees with UTF-8 in ASCII.
    guard declaration.hasPrefix("<?xml"), declaration.contains("encoding"), !declaration.contains("utf"),
      text.contains(where: { $0 >= 0x80 })
    else { return }
    throw DocumentFault(
      kind: .unsupportedEncoding,
      message: "The file declares an encoding other than UTF-8, and contains other characters than ASCII.", offset: 0,
      recovery: "Save it as UTF-8, and declare encoding=\"UTF-8\".")
  }
}
