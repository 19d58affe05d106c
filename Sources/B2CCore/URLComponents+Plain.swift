package import Foundation

extension URLComponents {
  /// Parses a URL that all URL parsers read in the same way.
  ///
  /// Foundation silently repairs spaces, incomplete escapes and ports without a number, and parsers disagree on the
  /// host after a backslash. So the text may only contain the characters of RFC 3986 section 2 with complete escapes,
  /// and a port must be a number from 1 to 65535.
  ///
  /// - Parameter text: The text. The result is `nil` if parsers could read it in different ways.
  package init?(plain text: String) {
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !#""<>\^`{|}"#.utf8.contains($0) }),
      text.split(separator: "%", omittingEmptySubsequences: false).dropFirst().allSatisfy({
        $0.prefix(2).count == 2 && $0.prefix(2).allSatisfy(\.isHexDigit)
      }),
      let components = URLComponents(string: text), components.string == text, components.hasPlainPort(in: text)
    else { return nil }
    self = components
  }

  /// Whether the text has no port or a valid one, because Foundation ignores a port that is empty or too large.
  private func hasPlainPort(in text: String) -> Bool {
    guard let range = rangeOfHost, text[range.upperBound...].hasPrefix(":") else { return true }
    return port.map { (1...65_535).contains($0) && text[range.upperBound...].hasPrefix(":\($0)") } == true
  }

  private static let pathWithPort = Pattern(/(.*):([1-9][0-9]{0,4})(\/?)/)

  /// The port at the end of the path, and the path without it.
  ///
  /// The tutorial's `http://localhost/tasks:3000` is, as a URL, port 80 and a path with a colon.
  package var portInPath: (path: String, port: Int)? {
    guard port == nil, let match = percentEncodedPath.wholeMatch(of: Self.pathWithPort), let port = UInt16(match.2)
    else { return nil }
    return (String(match.1 + match.3), Int(port))
  }
}
