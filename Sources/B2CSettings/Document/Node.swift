/// A value of a settings file together with the place where it stands.
struct Node {
  indirect enum Value {
    case string(String)
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case null
    case array([Node])
    case dictionary([Member])
    /// A type that no setting has, by its name.
    case other(String)
    /// Reported already: nothing more is to be said about it.
    case unreadable
  }

  /// A pair of a dictionary; a list of them keeps the order and what appears twice.
  struct Member {
    var key: String
    var keyOffset: Int?
    var node: Node
  }

  var value: Value
  /// Where the value begins, in bytes of the UTF-8 text; nothing in a binary file.
  var offset: Int?
}

extension Node {
  /// The name of the type, for messages.
  var typeName: String {
    switch value {
    case .string: "a string"
    case .bool: "a Boolean"
    case .integer: "an integer"
    case .real: "a number"
    case .null: "null"
    case .array: "an array"
    case .dictionary: "a dictionary"
    case .other(let name): name
    case .unreadable: "unreadable"
    }
  }

  /// The value of a scalar as text, for messages.
  var scalarText: String? {
    switch value {
    case .string(let text): text
    case .bool(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    case .real(let number): String(number)
    default: nil
    }
  }
}
