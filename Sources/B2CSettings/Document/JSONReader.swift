/// A reader of JSON (RFC 8259) that keeps the order, what appears twice, and where everything stands.
///
/// Foundation's tells neither a key's line nor that a key appears twice.
struct JSONReader {
  private let bytes: [UInt8]
  private var index = 0
  private(set) var isStopped = false
  private(set) var findings: Findings

  init(_ bytes: [UInt8], findings: Findings) {
    self.bytes = bytes
    self.findings = findings
  }

  /// Reads the one value of the text; after a fault, as much as stands before it.
  mutating func readDocument() -> Node {
    skipBlanks()
    let root = readValue(depth: 0)
    skipBlanks()
    if !isStopped, index < bytes.count { stop("Something stands behind the last brace.") }
    return root
  }
}

extension JSONReader {
  private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipBlanks() {
    while let byte = peek, TextFormat.isBlank(byte) { index += 1 }
  }

  private mutating func stop(_ message: String, kind: SettingsProblem.Kind = .malformed, advice: String? = nil) {
    guard !isStopped else { return }
    isStopped = true
    findings.addToFile(
      kind, message, advice: advice ?? "Mend the JSON at this place; it is read up to here only.", at: index)
  }

  private mutating func skip(_ byte: UInt8, _ message: String) -> Bool {
    guard !isStopped, peek == byte else {
      stop(message)
      return false
    }
    index += 1
    return true
  }

  private mutating func readValue(depth: Int) -> Node {
    let start = index
    guard depth <= Limits.nesting else {
      stop(
        "Lists and objects stand in each other more than \(Limits.nesting) deep.", kind: .nestingTooDeep,
        advice: "Settings need three levels at most.")
      return Node(value: .unreadable, offset: start)
    }
    switch peek {
    case UInt8(ascii: "{"): return Node(value: .dictionary(readObject(depth: depth + 1)), offset: start)
    case UInt8(ascii: "["): return Node(value: .array(readArray(depth: depth + 1)), offset: start)
    case UInt8(ascii: "\""): return Node(value: readString().map(Node.Value.string) ?? .unreadable, offset: start)
    default: return Node(value: readLiteral(), offset: start)
    }
  }

  private mutating func readObject(depth: Int) -> [Node.Member] {
    var members: [Node.Member] = []
    guard canOpen(depth) else { return members }
    index += 1
    skipBlanks()
    if peek == UInt8(ascii: "}") {
      index += 1
      return members
    }
    while !isStopped {
      skipBlanks()
      let keyOffset = index
      guard let key = readString() else { break }
      skipBlanks()
      guard skip(UInt8(ascii: ":"), "A colon is missing behind a key.") else { break }
      skipBlanks()
      members.append(Node.Member(key: key, keyOffset: keyOffset, node: readValue(depth: depth)))
      skipBlanks()
      guard continuesList(until: UInt8(ascii: "}")) else { break }
    }
    return members
  }

  private mutating func readArray(depth: Int) -> [Node] {
    var nodes: [Node] = []
    guard canOpen(depth) else { return nodes }
    index += 1
    skipBlanks()
    if peek == UInt8(ascii: "]") {
      index += 1
      return nodes
    }
    while !isStopped {
      skipBlanks()
      nodes.append(readValue(depth: depth))
      skipBlanks()
      guard continuesList(until: UInt8(ascii: "]")) else { break }
    }
    return nodes
  }

  private mutating func canOpen(_ depth: Int) -> Bool {
    if depth > Limits.nesting {
      stop(
        "Lists and objects stand in each other more than \(Limits.nesting) deep.", kind: .nestingTooDeep,
        advice: "Settings need three levels at most.")
    }
    return !isStopped
  }

  private mutating func continuesList(until end: UInt8) -> Bool {
    guard !isStopped else { return false }
    if peek == UInt8(ascii: ",") {
      index += 1
      return true
    }
    _ = skip(end, "A comma or a closing bracket is missing.")
    return false
  }
}

extension JSONReader {
  private mutating func readLiteral() -> Node.Value {
    let start = index
    while let byte = peek, !TextFormat.isBlank(byte), !",]}:".utf8.contains(byte) { index += 1 }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    switch text {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "null": return .null
    default: break
    }
    guard Self.isNumber(bytes[start..<index]) else {
      index = start
      stop("Here a value is missing, or a string without quotation marks stands.")
      return .unreadable
    }
    if let number = Int64(text) { return .integer(number) }
    return .real(Double(text) ?? .infinity)
  }

  /// RFC 8259 section 6.
  private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
    let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
    var rest = text.first == UInt8(ascii: "-") ? text.dropFirst() : text
    let whole = rest.prefix(while: isDigit)
    guard let first = whole.first, whole.count == 1 || first != 0x30 else { return false }
    rest = rest.dropFirst(whole.count)
    if rest.first == UInt8(ascii: ".") {
      let fraction = rest.dropFirst().prefix(while: isDigit)
      guard !fraction.isEmpty else { return false }
      rest = rest.dropFirst(fraction.count + 1)
    }
    if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
      let exponent = rest.prefix(while: isDigit)
      guard !exponent.isEmpty else { return false }
      rest = rest.dropFirst(exponent.count)
    }
    return rest.isEmpty
  }

  private mutating func readString() -> String? {
    guard skip(UInt8(ascii: "\""), "A string in quotation marks is missing here.") else { return nil }
    var text: [UInt8] = []
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escaped = readEscape() else { return nil }
        text.append(contentsOf: escaped)
      case 0..<0x20:
        stop("A string is not closed, or has a control character in it.")
        return nil
      default:
        text.append(byte)
        index += 1
      }
    }
    stop("A string is not closed.")
    return nil
  }

  private mutating func readEscape() -> [UInt8]? {
    let letter = index + 1 < bytes.count ? bytes[index + 1] : 0
    let plain: [UInt8: UInt8] = [
      UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F, UInt8(ascii: "b"): 0x08,
      UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]
    if let byte = plain[letter] {
      index += 2
      return [byte]
    }
    guard letter == UInt8(ascii: "u"), let first = hexadecimal(at: index + 2) else {
      stop("A backslash begins no escape that JSON knows.")
      return nil
    }
    if let scalar = Unicode.Scalar(first) {
      index += 6
      return Array(String(Character(scalar)).utf8)
    }
    guard first < 0xDC00, index + 7 < bytes.count, bytes[index + 6] == UInt8(ascii: "\\"),
      bytes[index + 7] == UInt8(ascii: "u"), let second = hexadecimal(at: index + 8),
      (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else {
      stop("An escape is half of a character only.")
      return nil
    }
    index += 12
    return Array(String(Character(scalar)).utf8)
  }

  private func hexadecimal(at start: Int) -> UInt32? {
    guard start + 4 <= bytes.count else { return nil }
    var number: UInt32 = 0
    for byte in bytes[start..<start + 4] {
      guard byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      number = number << 4 | UInt32(digit)
    }
    return number
  }
}
