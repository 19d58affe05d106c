import Foundation

/// A value of a settings file.
indirect enum Node {
  case string(String)
  case bool(Bool)
  case integer(Int64)
  case real(Double)
  case array([Node])
  case dictionary([Field])
  /// A type that no setting has, by its name.
  case other(String)
  /// Already reported.
  case unreadable

  /// A key and its value; a list of them keeps the order of the file.
  struct Field {
    let key: String
    let node: Node
  }

  /// Creates a value from one of Foundation's.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - path: Its path.
  ///   - unreadable: The paths of values that are reported already.
  ///   - findings: The places of the keys, by which dictionaries are ordered.
  init(_ value: Any, at path: SettingsPath, unreadable: Set<String> = [], findings: Findings) {
    func node(_ value: Any, _ path: SettingsPath) -> Node {
      Node(value, at: path, unreadable: unreadable, findings: findings)
    }
    switch value {
    case _ where unreadable.contains(path.description): self = .unreadable
    case let text as String: self = .string(text)
    case let number as NSNumber: self = Self.number(number)
    case let values as [Any]:
      self = .array(values.enumerated().map { node($1, path.appending(index: $0)) })
    case let fields as [String: Any]:
      let placed = fields.map { key, value in
        let path = path.appending(key: key)
        return (offset: findings.keyOffset(path) ?? .max, field: Field(key: key, node: node(value, path)))
      }
      let ordered = placed.sorted { ($0.offset, $0.field.key) < ($1.offset, $1.field.key) }
      self = .dictionary(ordered.map(\.field))
    case is Date: self = .other("a date")
    case is Data: self = .other("data")
    default: self = .other("of an unknown type")
    }
  }

  /// Foundation has one class for numbers and Booleans; the type of a Boolean is `char`.
  private static func number(_ number: NSNumber) -> Node {
    switch String(cString: number.objCType) {
    case "c", "B": .bool(number.boolValue)
    case "d", "f": .real(number.doubleValue)
    default: .integer(number.int64Value)
    }
  }

  /// The name of the type, for messages.
  var typeName: String {
    switch self {
    case .string: "a string"
    case .bool: "a Boolean"
    case .integer: "an integer"
    case .real: "a number"
    case .array: "an array"
    case .dictionary: "a dictionary"
    case .other(let name): name
    case .unreadable: "unreadable"
    }
  }

  /// The value of a scalar as a string, for messages.
  var scalarText: String? {
    switch self {
    case .string(let text): text
    case .bool(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    case .real(let number): String(number)
    default: nil
    }
  }
}
