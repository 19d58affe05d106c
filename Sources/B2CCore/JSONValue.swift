internal import Foundation

/// Any JSON value, kept as it came, for fields that this package does not know by name.
public enum JSONValue: Sendable, Hashable {
  /// The JSON literal `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number without fraction that fits 64 bits.
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
  /// The text, when the value is one.
  public var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The boolean, when the value is one.
  public var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }

  /// The fields, when the value is an object.
  package var object: [String: JSONValue]? { if case .object(let fields) = self { fields } else { nil } }

  /// The elements, when the value is a list.
  package var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

  /// The value as a number of seconds or a count, from a number or from a text that holds one.
  ///
  /// Azure AD B2C writes times both as numbers and as strings.
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
  /// The value as JSON on one line, with the fields of objects in the order of their names.
  public var description: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // It fails for a number that is not finite only. Controls of the upper half could move a terminal's cursor.
    let text = String(decoding: (try? encoder.encode(self)) ?? Data("null".utf8), as: UTF8.self)
    return text.unicodeScalars.map {
      (0x7F...0x9F).contains($0.value) ? "\\u00" + String($0.value, radix: 16) : String($0)
    }.joined()
  }
}

extension JSONValue: Codable {
  /// Reads any JSON value.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError.dataCorrupted` when the value is not one of JSON's kinds.
  public init(from decoder: any Decoder) throws { self = try Self.value(in: decoder.singleValueContainer()) }

  private static func value(in container: any SingleValueDecodingContainer) throws -> JSONValue {
    // The most common kinds come first, because each wrong guess costs an error (row 3b of the benchmarks).
    if container.decodeNil() { return .null }
    if let text = try? container.decode(String.self) { return .string(text) }
    if let number = try? container.decode(Int64.self) { return .integer(number) }
    if let flag = try? container.decode(Bool.self) { return .bool(flag) }
    if let number = try? container.decode(Double.self) { return .number(number) }
    if let elements = try? container.decode([JSONValue].self) { return .array(elements) }
    return .object(try container.decode([String: JSONValue].self))
  }

  /// Writes the value as JSON.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: `EncodingError` when a number is not finite.
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
  /// Makes a text.
  ///
  /// - Parameter value: The text.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Makes a number without fraction.
  ///
  /// - Parameter value: The number.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// Makes a boolean.
  ///
  /// - Parameter value: `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Makes a list.
  ///
  /// - Parameter elements: The elements, in order.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// Makes an object; of fields with the same name the last counts.
  ///
  /// - Parameter elements: Names and values.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
