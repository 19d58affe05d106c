/// A JSON value together with its place, as ``JSONReader`` read it.
package struct JSONNode: Sendable {
  /// The kinds of values.
  package indirect enum Value: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONNode])
    case object([Field])
    /// The value with the fault, in a tree that ends there.
    case unreadable
  }

  /// A name and a value; a list of them keeps the order and repeated keys.
  package struct Field: Sendable {
    package let name: String
    /// Where the name begins.
    package let nameOffset: Int
    package let node: JSONNode
  }

  package let value: Value
  /// Where the value begins, in bytes from the beginning of the text.
  package let offset: Int

  /// The value without places; what is unreadable is `null`.
  package var plain: JSONValue {
    switch value {
    case .null, .unreadable: .null
    case .bool(let flag): .bool(flag)
    case .integer(let number): .integer(number)
    case .number(let number): .number(number)
    case .string(let text): .string(text)
    case .array(let elements): .array(elements.map(\.plain))
    case .object(let fields): .object(Self.dictionary(fields))
    }
  }

  /// The fields by name; of a repeated key the first counts.
  static func dictionary(_ fields: [Field]) -> [String: JSONValue] {
    var values: [String: JSONValue] = Dictionary(minimumCapacity: fields.count)
    for field in fields where values[field.name] == nil {
      values[field.name] = field.node.plain
    }
    return values
  }
}

/// The first fault of a JSON text, and where it is.
package struct JSONFault: Error, Hashable {
  /// What is wrong.
  package enum Kind: Sendable, Hashable, CaseIterable {
    /// The text is a value, but not an object.
    case notAnObject
    /// No value, or one that is not JSON, such as a string without quotation marks.
    case missingValue
    case missingKey
    case missingColon
    case missingComma
    case trailingContent
    case unterminatedString
    case controlCharacter
    /// An unknown escape, or half of a surrogate pair.
    case invalidEscape
    case invalidUTF8
    /// More than 30 combining marks in a row.
    case tooManyMarks
    /// A number that is too large for a `Double` or needlessly long.
    case numberOutOfRange
    case duplicateKey
    case tooDeep
  }

  package let kind: Kind
  /// The byte at which the fault is, from the beginning of the text.
  package let offset: Int

  package init(kind: Kind, offset: Int) {
    self.kind = kind
    self.offset = offset
  }
}

extension JSONFault: CustomStringConvertible {
  /// The fault in words that follow "the text".
  package var description: String {
    let what =
      switch kind {
      case .notAnObject: "is not a JSON object"
      case .missingValue: "lacks a value, or has one that is not JSON,"
      case .missingKey: "lacks a key in quotation marks"
      case .missingColon: "lacks a colon after a key"
      case .missingComma: "lacks a comma or a closing bracket"
      case .trailingContent: "goes on after its end"
      case .unterminatedString: "has a string without end"
      case .controlCharacter: "has a control character in a string"
      case .invalidEscape: "has an unknown escape"
      case .invalidUTF8: "is not UTF-8"
      case .tooManyMarks: "has more than 30 combining marks in a row"
      case .numberOutOfRange: "has a number out of range"
      case .duplicateKey: "has a key twice"
      case .tooDeep: "is nested more than \(JSONReader.maximumDepth) deep"
      }
    return what + " at byte \(offset)"
  }
}
