/// Writes a tree of values as an XML property list.
struct XMLWriter {
  private(set) var text = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">

    """

  init(_ members: [Node.Member]) {
    write(.dictionary(members), indentation: "")
    text += "</plist>\n"
  }

  /// A text with the characters escaped that mean something in XML.
  static func escape(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  private mutating func write(_ value: Node.Value, indentation: String) {
    switch value {
    case .dictionary(let members):
      text += indentation + "<dict>\n"
      for member in members {
        text += indentation + "  <key>\(Self.escape(member.key))</key>\n"
        write(member.node.value, indentation: indentation + "  ")
      }
      text += indentation + "</dict>\n"
    case .array(let nodes):
      text += indentation + "<array>\n"
      for node in nodes { write(node.value, indentation: indentation + "  ") }
      text += indentation + "</array>\n"
    case .bool(let flag): text += indentation + (flag ? "<true/>\n" : "<false/>\n")
    case .string(let string): text += indentation + "<string>\(Self.escape(string))</string>\n"
    // Settings have no values of other types.
    default: break
    }
  }
}
