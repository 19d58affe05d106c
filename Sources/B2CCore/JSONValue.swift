internal import Foundation

/// Any JSON value, for fields that the SDK does not know by name.
public enum JSONValue: Sendable, Hashable {
  /// The JSON literal `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number without a fraction that fits into 64 bits.
  case integer(Int64)
  /// Any other number.
  case number(Double)
  /// A text.
  case string(String)
  /// A list, in order.
  case array([JSONValue])
  /// Fields by name.
  case object([String: JSONValue])
}

extension JSONValue {
  /// The text, or `nil` for another kind of value.
  public var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The boolean, or `nil` for another kind of value.
  public var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }

  /// The fields of an object, or `nil` for another kind of value.
  package var object: [String: JSONValue]? { if case .object(let fields) = self { fields } else { nil } }

  /// The elements of a list, or `nil` for another kind of value.
  package var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

  /// The number, or the number that a text contains, for example a time in seconds.
  ///
  /// Azure AD B2C writes times as numbers and sometimes as strings.
  public var double: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    case .string(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
    default: nil
    }
  }
}

extension JSONValue: CustomStringConvertible {
  /// The value as JSON in one line, in which the fields of an object are sorted by name.
  public var description: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Encoding fails only for a number that is not finite. The encoder does not escape the control characters 0x7F to
    // 0x9F, but they could move the cursor of a terminal.
    let text = String(decoding: (try? encoder.encode(self)) ?? Data("null".utf8), as: UTF8.self)
    return text.unicodeScalars.map {
      (0x7F...0x9F).contains($0.value) ? "\\u00" + String($0.value, radix: 16) : String($0)
    }.joined()
  }
}

extension JSONValue: Codable {
  /// Decodes any JSON value.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError.dataCorrupted` if the value is none that JSON has.
  public init(from decoder: any Decoder) throws { self = try Self.value(in: decoder.singleValueContainer()) }

  private static func value(in container: any SingleValueDecodingContainer) throws -> JSONValue {
    // Try the most common kinds first, because each wrong guess makes the decoder create an error, which is slow.
    if container.decodeNil() { return .null }
    if let text = try? container.decode(String.self) { return .string(text) }
    if let number = try? container.decode(Int64.self) { return .integer(number) }
    if let flag = try? container.decode(Bool.self) { return .bool(flag) }
    if let number = try? container.decode(Double.self) { return .number(number) }
    if let elements = try? container.decode([JSONValue].self) { return .array(elements) }
    return .object(try container.decode([String: JSONValue].self))
  }

  /// Encodes the value as JSON.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: `EncodingError` if a number is not finite.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let flag): try container.encode(flag)
    case .integer(let number): try container.encode(number)
    case .number(let number): try container.encode(number)
    case .string(let text): try container.encode(text)
    case .array(let elements): try container.encode(elements)
    case .object(let fields): try container.encode(fields)
    }
  }
}

// MARK: - Literals

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates a text.
  ///
  /// - Parameter value: The text.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Creates a number without a fraction.
  ///
  /// - Parameter value: The number.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// Creates a boolean.
  ///
  /// - Parameter value: `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Creates a list.
  ///
  /// - Parameter elements: The elements, in order.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// Creates an object, in which the last value counts if a name occurs twice.
  ///
  /// - Parameter elements: The names and values.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
