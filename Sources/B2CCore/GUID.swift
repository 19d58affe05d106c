internal import Foundation

/// The text form of GUIDs, which Microsoft's services compare without regard to case.
package enum GUID {
  /// Whether a text consists of 8-4-4-4-12 hexadecimal digits.
  package static func isGUID(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 36 && UUID(uuidString: String(text)) != nil
  }

  /// Returns a GUID in lower case, or `nil` for any other text.
  package static func folded(_ text: some StringProtocol) -> String? { isGUID(text) ? text.lowercased() : nil }
}
