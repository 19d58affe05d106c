// Elements that hold values.
extension XMLReader {
  static let valueNames: Set<String> = [
    "dict", "array", "string", "integer", "real", "true", "false", "date", "data",
  ]

  /// Reads the value whose opening tag was just read.
  mutating func readValue(_ tag: XMLTag, depth: Int) -> Node {
    Node(value: readContent(tag, depth: depth + 1), offset: tag.offset)
  }

  private mutating func readContent(_ tag: XMLTag, depth: Int) -> Node.Value {
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
          "A value has no <key> in front of it.", at: tag.offset,
          advice: "Put a <key> in front of it, or remove it.")
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

  /// The value behind a key; when none is there, the fault is noted and what follows is left to be read.
  private mutating func readMemberValue(of key: XMLTag, depth: Int) -> Node {
    skipBetweenElements()
    let start = index
    guard !isStopped, let tag = readTag() else { return Node(value: .unreadable) }
    guard !tag.isClosing, tag.name != "key" else {
      fault("The key has no value.", at: key.offset, advice: "Write its value behind it, or remove the key.")
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
    if depth > Limits.nesting {
      stop(
        "Lists and dictionaries stand in each other more than \(Limits.nesting) deep.", kind: .nestingTooDeep,
        advice: "Settings need three levels at most.")
    }
    return !isStopped
  }

  private mutating func stopAtWrongEnd(_ tag: XMLTag, of name: String) {
    stop(
      "<\(tag.shownName)> stands where </\(name)> should.", at: tag.offset,
      advice: "Close the <\(name)> first, or remove the tag.")
  }

  private mutating func readNumber(_ tag: XMLTag, _ convert: (String) -> Node.Value?) -> Node.Value {
    guard let text = readText(tag) else { return .unreadable }
    if let value = convert(text.trimmed) { return value }
    fault(
      "The content of <\(tag.name)> is no number that fits.", at: tag.offset,
      advice: "Write a number, or use <string> or <true/>.")
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

  /// An element that property lists do not have is passed over whole.
  private mutating func readUnknown(_ tag: XMLTag) -> Node.Value {
    guard !tag.isClosing else {
      stop("<\(tag.shownName)> closes nothing.", at: tag.offset, advice: "Remove it.")
      return .unreadable
    }
    fault(
      "<\(tag.shownName)> is no element of a property list.", at: tag.offset,
      advice: "Use <string>, <true/>, <false/>, <integer>, <array> or <dict>.")
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
    stop("<\(tag.shownName)> is not closed.", at: start, advice: "Remove it, or close it.")
    return .unreadable
  }
}
