/// Writes a tree of values as JSON (RFC 8259).
struct JSONWriter {
  private(set) var text = ""

  init(_ members: [Node.Member]) {
    write(.dictionary(members), indentation: "")
    text += "\n"
  }

  private mutating func write(_ value: Node.Value, indentation: String) {
    let inner = indentation + "  "
    switch value {
    case .dictionary(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        text += (index == 0 ? "\n" : ",\n") + inner + Self.quote(member.key) + ": "
        write(member.node.value, indentation: inner)
      }
      text += "\n" + indentation + "}"
    case .array(let nodes):
      text += "["
      for (index, node) in nodes.enumerated() {
        text += (index == 0 ? "\n" : ",\n") + inner
        write(node.value, indentation: inner)
      }
      text += nodes.isEmpty ? "]" : "\n" + indentation + "]"
    case .bool(let flag): text += flag ? "true" : "false"
    case .string(let string): text += Self.quote(string)
    default: text += "null"
    }
  }

  private static func quote(_ string: String) -> String {
    var quoted = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\" + String(scalar)
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
