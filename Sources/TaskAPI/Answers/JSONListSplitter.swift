internal import Foundation

/// Cuts a JSON list of objects into its elements while it arrives, wherever the pieces are cut.
///
/// It looks at brackets, strings and commas only; whether an element is good JSON is for the decoder to say.
struct JSONListSplitter {
  private enum State {
    case start
    case firstElement
    case element
    case separator
    case nextElement
    case end
  }

  /// How deep an element may nest: what is carried along unread, the element itself, and no more.
  private static let maximumDepth = maximumUnknownDepth + 1
  /// The byte order mark that some servers put before JSON.
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private var state = State.start
  private var buffer = Data()
  /// Up to where the buffer has been looked at.
  private var position = 0
  private var elementStart = 0
  private var markLength = 0
  private var depth = 0
  private var isInString = false
  private var isEscaped = false

  mutating func append(_ bytes: Data) {
    // What is done with goes when the next piece comes, so the buffer holds one unfinished element at most.
    let kept = state == .element ? elementStart : position
    if kept > 0 {
      buffer = Data(buffer.dropFirst(kept))
      position -= kept
      elementStart = 0
    }
    if buffer.isEmpty {
      buffer = bytes
    } else {
      buffer.append(bytes)
    }
  }

  /// The next whole element, or `nil` when more bytes are needed or the list is at its end.
  mutating func next() throws(TaskDecoding.Unreadable) -> Data? {
    // Straight memory: a Data subscript for each byte would cost more than the decoding.
    let bytes = buffer
    let range = bytes.withUnsafeBytes { memory in
      Result { () throws(TaskDecoding.Unreadable) in try scan(memory) }
    }
    return try range.get().map {
      bytes.subdata(in: bytes.startIndex + $0.lowerBound..<bytes.startIndex + $0.upperBound)
    }
  }

  /// Says that no more bytes come.
  mutating func finish() throws(TaskDecoding.Unreadable) {
    switch state {
    case .end: return
    case .start where buffer.isEmpty: throw TaskDecoding.Unreadable(reason: "is empty")
    case .start: throw TaskDecoding.Unreadable(reason: "is not a list")
    default: throw TaskDecoding.Unreadable(reason: "ends in the middle of the list")
    }
  }

  private mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(TaskDecoding.Unreadable) -> Range<Int>? {
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if state == .element {
        if try step(byte) {
          state = .separator
          return elementStart..<position
        }
      } else if !Self.isSpace(byte) {
        try begin(byte)
      }
    }
    return nil
  }

  /// A byte between elements.
  private mutating func begin(_ byte: UInt8) throws(TaskDecoding.Unreadable) {
    switch (state, byte) {
    case (.start, UInt8(ascii: "[")) where markLength == 0 || markLength == Self.mark.count:
      state = .firstElement
    case (.start, _) where markLength < Self.mark.count && byte == Self.mark[markLength]:
      markLength += 1
    case (.firstElement, UInt8(ascii: "{")), (.nextElement, UInt8(ascii: "{")):
      state = .element
      elementStart = position - 1
      depth = 1
    case (.firstElement, UInt8(ascii: "]")), (.separator, UInt8(ascii: "]")),
      // Foundation's decoder lets a comma before the end pass.
      (.nextElement, UInt8(ascii: "]")):
      state = .end
    case (.separator, UInt8(ascii: ",")):
      state = .nextElement
    case (.start, _):
      throw TaskDecoding.Unreadable(reason: "is not a list")
    case (.firstElement, _), (.nextElement, _):
      throw TaskDecoding.Unreadable(reason: "has something other than a task in the list")
    case (.separator, _):
      throw TaskDecoding.Unreadable(reason: "has no comma between two tasks")
    default:
      throw TaskDecoding.Unreadable(reason: "goes on after the list")
    }
  }

  /// A byte of an element; whether it is the last.
  private mutating func step(_ byte: UInt8) throws(TaskDecoding.Unreadable) -> Bool {
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
      }
      return false
    }
    switch byte {
    case UInt8(ascii: "\""):
      isInString = true
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      depth += 1
      guard depth <= Self.maximumDepth else { throw TaskDecoding.Unreadable(reason: "nests too deep") }
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      depth -= 1
    default:
      break
    }
    return depth == 0
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }
}
