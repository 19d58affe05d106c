/// A tree of values with an order of its own, so that the same numbers give the same file on every machine.
indirect enum Tree: Sendable {
  case text(String)
  case flag(Bool)
  case integer(Int)
  case real(Double)
  case list([Tree])
  case members([Member])

  struct Member: Sendable {
    var key: String
    var value: Tree
  }
}

extension Tree {
  /// An XML property list.
  var xml: [UInt8] {
    Array(("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n" + xmlElement + "</plist>\n").utf8)
  }

  private var xmlElement: String {
    switch self {
    case .text(let text): "<string>\(Self.escape(text))</string>\n"
    case .flag(let flag): flag ? "<true/>\n" : "<false/>\n"
    case .integer(let number): "<integer>\(number)</integer>\n"
    case .real(let number): "<real>\(number)</real>\n"
    case .list(let trees): "<array>\n" + trees.map(\.xmlElement).joined() + "</array>\n"
    case .members(let members):
      "<dict>\n" + members.map { "<key>\(Self.escape($0.key))</key>" + $0.value.xmlElement }.joined() + "</dict>\n"
    }
  }

  private static func escape(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}

extension Tree {
  /// JSON.
  var json: [UInt8] { Array(jsonText.utf8) }

  private var jsonText: String {
    switch self {
    case .text(let text): Self.quote(text)
    case .flag(let flag): "\(flag)"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .list(let trees): "[" + trees.map(\.jsonText).joined(separator: ", ") + "]"
    case .members(let members):
      "{" + members.map { Self.quote($0.key) + ": " + $0.value.jsonText }.joined(separator: ",\n") + "}"
    }
  }

  private static func quote(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    return "\"" + escaped + "\""
  }
}

extension Tree {
  /// A binary property list.
  var binary: [UInt8] {
    var objects: [[UInt8]] = []
    let top = add(to: &objects)
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      bytes += object
    }
    let table = bytes.count
    bytes += offsets.flatMap { Self.bytes($0, count: 4) } + [0, 0, 0, 0, 0, 0, 4, 2]
    return bytes + [objects.count, top, table].flatMap { Self.bytes($0, count: 8) }
  }

  private func add(to objects: inout [[UInt8]]) -> Int {
    let object: [UInt8]
    switch self {
    case .text(let text) where text.utf8.allSatisfy({ $0 < 0x80 }):
      object = Self.head(0x50, text.utf8.count) + Array(text.utf8)
    case .text(let text):
      object = Self.head(0x60, text.utf16.count) + text.utf16.flatMap { Self.bytes(Int($0), count: 2) }
    case .flag(let flag): object = [flag ? 0x09 : 0x08]
    case .integer(let number): object = [0x13] + Self.bytes(number, count: 8)
    case .real(let number): object = [0x23] + Self.bytes(Int(bitPattern: UInt(number.bitPattern)), count: 8)
    case .list(let trees):
      let references = trees.map { $0.add(to: &objects) }
      object = Self.head(0xA0, trees.count) + references.flatMap { Self.bytes($0, count: 2) }
    case .members(let members):
      let keys = members.map { Tree.text($0.key).add(to: &objects) }
      let values = members.map { $0.value.add(to: &objects) }
      object = Self.head(0xD0, members.count) + (keys + values).flatMap { Self.bytes($0, count: 2) }
    }
    objects.append(object)
    return objects.count - 1
  }

  private static func head(_ marker: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [marker | UInt8(count)] : [marker | 0x0F, 0x11] + bytes(count, count: 2)
  }

  private static func bytes(_ number: Int, count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}
