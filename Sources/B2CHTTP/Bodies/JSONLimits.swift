package import Foundation

/// How deep a JSON text may be nested before it is given to a decoder.
package enum JSONLimits {
  /// Deeper than any document of an identity provider or an API, far less than what troubles a decoder or its caller.
  package static let maximumDepth = 64

  /// Whether arrays and objects are nested deeper than allowed.
  ///
  /// It says nothing on whether the text is JSON.
  package static func isTooDeep(_ data: Data, maximum: Int = maximumDepth) -> Bool {
    data.withUnsafeBytes { bytes in
      var depth = 0
      var isInString = false
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        if isInString {
          if byte == UInt8(ascii: "\\") {
            index += 1
          } else if byte == UInt8(ascii: "\"") {
            isInString = false
          }
        } else if byte == UInt8(ascii: "\"") {
          isInString = true
        } else if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") {
          depth += 1
          if depth > maximum { return true }
        } else if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") {
          depth -= 1
        }
        index += 1
      }
      return false
    }
  }
}
