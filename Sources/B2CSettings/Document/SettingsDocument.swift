/// The bytes of a settings file as a tree of values, whatever its format.
///
/// The three readers are the package's own. Foundation tells no line, reads old-style property lists and repeated keys
/// without a word, and ends the process when values stand in each other some thousands deep.
struct SettingsDocument {
  /// The outermost dictionary, as far as it could be read.
  var members: [Node.Member]?
  /// Whether the file was read to its end, so that what is not there is really missing.
  var isComplete = false
  /// The text for lines and columns; nothing for a binary file.
  var text: SourceText?

  /// Reads a file's bytes and tells all that is wrong with its form.
  init(_ bytes: [UInt8], findings: inout Findings) {
    guard bytes.count <= Limits.bytes else {
      findings.addToFile(
        .fileTooLarge, "The file is larger than \(Limits.bytes / 1024) KiB.",
        advice: "Give the settings file, which is a few hundred bytes long.")
      return
    }
    if bytes.starts(with: Array("bplist".utf8)) {
      var reader = BinaryReader(bytes)
      do {
        isComplete = true
        take(try reader.read(), findings: &findings)
      } catch {
        findings.addToFile(error.kind, error.message, advice: error.advice)
      }
      return
    }
    do {
      readText(try TextDecoding.utf8(bytes), findings: &findings)
    } catch {
      reject(error, bytes: bytes, findings: &findings)
    }
  }

  private mutating func readText(_ bytes: [UInt8], findings: inout Findings) {
    let text = SourceText(bytes)
    self.text = text
    let root: Node?
    switch TextFormat(bytes) {
    case .blank:
      findings.addToFile(.emptyFile, "The file is empty.", advice: "Write the settings into it.")
      return
    case .xml:
      var reader = XMLReader(bytes, findings: findings)
      root = reader.readDocument()
      isComplete = !reader.isStopped
      findings = reader.findings
    case .json:
      var reader = JSONReader(bytes, findings: findings)
      root = reader.readDocument()
      isComplete = !reader.isStopped
      findings = reader.findings
    case .openStep:
      findings.addToFile(
        .notAPropertyList, "The file is not a property list in XML: it looks like the old OpenStep form.",
        advice: "Convert it with `plutil -convert xml1`, or write it as JSON.", at: 0)
      return
    case .html:
      findings.addToFile(
        .notAPropertyList, "The file is not a property list but a web page.",
        advice: "Download the file itself, not the page that shows it.", at: 0)
      return
    case .unknown:
      findings.addToFile(
        .notAPropertyList, "The file is not a property list, nor is it JSON.",
        advice: "Begin it with <plist version=\"1.0\">, or with { for JSON.", at: 0)
      return
    }
    if let root { take(root, findings: &findings) }
  }

  private mutating func take(_ root: Node, findings: inout Findings) {
    switch root.value {
    case .dictionary(let members): self.members = members
    case .unreadable: break
    case _ where !isComplete: break
    default:
      findings.addToFile(
        .notADictionary, "The outermost value is \(root.typeName), not a dictionary.",
        advice: "Put the keys and their values into one dictionary.", at: root.offset)
    }
  }

  private mutating func reject(_ failure: TextDecoding.Failure, bytes: [UInt8], findings: inout Findings) {
    let advice = "Save it as UTF-8."
    switch failure {
    case .invalidUTF8(let offset):
      text = SourceText(bytes)
      findings.addToFile(
        .unsupportedEncoding, "The file has a byte that is not UTF-8.", advice: advice, at: offset)
    case .invalidUTF16:
      findings.addToFile(.unsupportedEncoding, "The file is not valid UTF-16.", advice: advice)
    case .utf32:
      findings.addToFile(.unsupportedEncoding, "The file is UTF-32.", advice: advice)
    }
  }
}
