package import Foundation

extension URLComponents {
  /// Reads a URL that all readers read alike: the one gate for URLs as people and servers write them.
  ///
  /// Foundation repairs a space, an incomplete escape and a port without a number silently, and readers disagree on the
  /// host after a backslash. So the text must consist of the characters of RFC 3986 section 2 with complete escapes, and
  /// a port must be a number from 1 to 65535.
  ///
  /// - Parameter text: The text.
  package init?(plain text: String) {
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !#""<>\^`{|}"#.utf8.contains($0) }),
      text.split(separator: "%", omittingEmptySubsequences: false).dropFirst().allSatisfy({
        $0.prefix(2).count == 2 && $0.prefix(2).allSatisfy(\.isHexDigit)
      }),
      let components = URLComponents(string: text), components.string == text, components.hasPlainPort(in: text)
    else { return nil }
    self = components
  }

  /// A port that is empty or beyond all numbers is no port for Foundation.
  private func hasPlainPort(in text: String) -> Bool {
    guard let range = rangeOfHost, text[range.upperBound...].hasPrefix(":") else { return true }
    return port.map { (1...65_535).contains($0) && text[range.upperBound...].hasPrefix(":\($0)") } == true
  }

  private static let pathWithPort = Pattern(/(.*):([1-9][0-9]{0,4})(\/?)/)

  /// A port at the end of the path, and the path without it; the tutorial's `http://localhost/tasks:3000` is port 80 and a
  /// path with a colon.
  package var portInPath: (path: String, port: Int)? {
    guard port == nil, let match = percentEncodedPath.wholeMatch(of: Self.pathWithPort), let port = UInt16(match.2)
    else { return nil }
    return (String(match.1 + match.3), Int(port))
  }
}
