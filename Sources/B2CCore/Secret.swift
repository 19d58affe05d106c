/// A text that must not be shown, for example a token, a code or a verifier.
///
/// If you print, interpolate, dump or reflect a `Secret`, it shows `[redacted]`. Only ``value`` returns the text.
/// Encoding writes the text, because a token cache must store it.
public struct Secret: Sendable, Hashable, Codable, Redacted {
  /// The secret text.
  ///
  /// You are responsible for where it goes.
  public let value: String

  /// Creates a secret from a text.
  ///
  /// - Parameter value: The text.
  public init(_ value: String) { self.value = value }

  /// Decodes the secret from a string.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if the value is not a string.
  public init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(String.self) }

  /// Encodes the secret text as a string.
  ///
  /// - Parameter encoder: The encoder. Its output is as secret as this value.
  /// - Throws: `EncodingError` if the encoder cannot encode a string.
  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }

  /// Compares the bytes, because Swift's own comparison treats two spellings of `é` as equal.
  ///
  /// - Parameters:
  ///   - left: The first secret.
  ///   - right: The second secret.
  /// - Returns: Whether both have the same bytes.
  public static func == (left: Secret, right: Secret) -> Bool { ASCIIText.isSame(left.value, right.value) }

  /// Always `[redacted]`.
  public var description: String { "[redacted]" }

  /// Compares two secrets in a time that depends only on their lengths, so that it does not reveal where they differ.
  ///
  /// - Parameter other: The other secret.
  /// - Returns: Whether both have the same bytes.
  package func isEqualInConstantTime(to other: Secret) -> Bool {
    let (left, right) = (Array(value.utf8), Array(other.value.utf8))
    return left.count == right.count && zip(left, right).reduce(into: 0) { $0 |= $1.0 ^ $1.1 } == 0
  }
}

/// A value that shows only its description, however it is printed, dumped or reflected.
package protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  /// The name of the type, unless the type has another description.
  public var description: String { "\(Self.self)" }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// A mirror without children, so that `dump` shows only the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
