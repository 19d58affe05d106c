internal import Foundation

/// The words of a web page or of a plain text.
enum PageText {
  /// More than anyone reads of an error.
  private static let window = 1 << 16

  /// Returns a body's text without tags, scripts and styles, with one space between words.
  static func words(of body: Data) -> String {
    let bytes = Array(body.prefix(window))
    var output: [UInt8] = []
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "<") else {
        output.append(bytes[index])
        index += 1
        continue
      }
      // What is between the tags of a script or a style is not shown.
      if let name = ["script", "style"].first(where: { isName($0, at: index + 1, in: bytes) }) {
        index =
          (index..<bytes.count).first { bytes[$0] == UInt8(ascii: "/") && isName(name, at: $0 + 1, in: bytes) }
          ?? bytes.count
      }
      index = bytes[index...].firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 } ?? bytes.count
      output.append(UInt8(ascii: " "))
    }
    return String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static func isName(_ name: String, at start: Int, in bytes: [UInt8]) -> Bool {
    start + name.utf8.count <= bytes.count
      && zip(bytes[start...], name.utf8).allSatisfy { $0 | 0x20 == $1 }
  }
}
