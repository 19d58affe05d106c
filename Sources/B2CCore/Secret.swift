/// A piece of text that must not be shown: a token, a code, a verifier.
///
/// Printing, interpolating, dumping or reflecting a `Secret` shows `[redacted]`. The text itself comes out only where the
/// source says so, through ``value``. Coding writes the text, because a token cache has to keep it.
public struct Secret: Sendable, Hashable, Codable, Redacted {
  /// The secret text itself.
  ///
  /// The reader is responsible for where it goes.
  public let value: String

  /// Wraps a text so that it no longer prints.
  ///
  /// - Parameter value: The text to protect.
  public init(_ value: String) { self.value = value }

  /// Reads the secret from a single string value.
  ///
  /// - Parameter decoder: The decoder to read a string from.
  /// - Throws: `DecodingError` when the value is not a string.
  public init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(String.self) }

  /// Writes the secret text as a single string value.
  ///
  /// - Parameter encoder: The encoder to write to; its output is as secret as this value.
  /// - Throws: `EncodingError` when the encoder cannot take a string.
  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }

  /// Compares the bytes, because Swift's own comparison takes two forms of `é` for the same text.
  ///
  /// - Parameters:
  ///   - left: The first secret.
  ///   - right: The second secret.
  /// - Returns: Whether both hold the same bytes.
  public static func == (left: Secret, right: Secret) -> Bool { ASCIIText.isSame(left.value, right.value) }

  /// Always `[redacted]`.
  public var description: String { "[redacted]" }

  /// Compares two secrets in a time that depends on their lengths only.
  ///
  /// - Parameter other: The secret to compare with.
  /// - Returns: Whether both hold the same bytes.
  package func isEqualInConstantTime(to other: Secret) -> Bool {
    let (left, right) = (Array(value.utf8), Array(other.value.utf8))
    return left.count == right.count && zip(left, right).reduce(into: 0) { $0 |= $1.0 ^ $1.1 } == 0
  }
}

/// A value that shows its description and nothing else, however it is printed, dumped or reflected.
package protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  /// The name of the type, unless the type shows more.
  public var description: String { "\(Self.self)" }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// A mirror without children, so that `dump` shows the description only.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
