/// The text form of GUIDs, which Microsoft's services compare without regard to case.
package enum GUID {
  /// Whether a text is 8-4-4-4-12 hexadecimal digits.
  package static func isGUID(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 36
      && text.utf8.enumerated().allSatisfy { place, byte in
        switch place {
        case 8, 13, 18, 23: byte == UInt8(ascii: "-")
        default: isHexadecimal(byte)
        }
      }
  }

  /// Returns a GUID in lower case; `nil` for any other text.
  package static func folded(_ text: some StringProtocol) -> String? {
    isGUID(text) ? text.lowercased() : nil
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
