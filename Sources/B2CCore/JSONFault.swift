/// The first fault of a JSON text, and where it is.
package struct JSONFault: Error, Hashable {
  /// The kind of fault.
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
