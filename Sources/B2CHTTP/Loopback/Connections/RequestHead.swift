internal import Foundation

/// A request line and its header fields (RFC 9112 sections 3 and 5).
struct RequestHead {
  /// How the body's end is known.
  enum Framing: Equatable {
    case none
    case length(Int)
    case chunked
  }

  let method: String
  let target: String
  let headers: HTTPHeaders
  let framing: Framing
  let keepsConnection: Bool
  let expectsContinue: Bool

  /// Gives the position behind the empty line, `nil` as long as it has not come.
  static func end(in bytes: [UInt8], from start: Int, limit: Int) throws(RequestRefusal) -> Int? {
    // What speaks another protocol, such as TLS, is told so before it has sent a whole line.
    if let first = bytes.first, !isToken([first]) { throw .malformed("This is not HTTP.") }
    var index = start
    while index < min(bytes.count, limit) {
      if bytes[index] == 0x0A {
        guard index > 0, bytes[index - 1] == 0x0D else { throw .malformed("A line ends without CR.") }
        if index >= 3, bytes[index - 2] == 0x0A { return index + 1 }
      }
      index += 1
    }
    if bytes.count >= limit { throw .headTooLarge }
    return nil
  }

  init(_ bytes: ArraySlice<UInt8>) throws(RequestRefusal) {
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { $0.dropLast() }
    let line = lines.removeFirst().split(separator: 0x20, omittingEmptySubsequences: false)
    guard line.count == 3, Self.isToken(line[0]), Self.isTarget(line[1]) else {
      throw .malformed("The request line is malformed.")
    }
    let version = String(decoding: line[2], as: UTF8.self)
    guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
      throw version.hasPrefix("HTTP/") ? .version : .malformed("The request line is malformed.")
    }
    let headers = HTTPHeaders(try lines.filter { !$0.isEmpty }.map(Self.field))
    let isCurrent = version == "HTTP/1.1"
    let hosts = headers.values(of: "Host").count
    guard hosts == 1 || (hosts == 0 && !isCurrent) else { throw .malformed("There must be one Host field.") }
    method = String(decoding: line[0], as: UTF8.self)
    target = String(decoding: line[1], as: UTF8.self)
    self.headers = headers
    framing = try Self.framing(headers, isCurrent: isCurrent)
    let options = Self.list(headers["Connection"])
    keepsConnection = isCurrent ? !options.contains("close") : options.contains("keep-alive")
    expectsContinue = isCurrent && Self.list(headers["Expect"]).contains("100-continue")
  }

  private static func field(_ line: ArraySlice<UInt8>) throws(RequestRefusal) -> HTTPHeaders.Field {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isToken(line[..<colon]) else {
      throw .malformed("A header field is malformed.")
    }
    let value = line[(colon + 1)...]
    guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
      throw .malformed("A header field has a control character.")
    }
    let text = String(decoding: value, as: UTF8.self).trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
    return HTTPHeaders.Field(name: String(decoding: line[..<colon], as: UTF8.self), value: text)
  }

  /// A request whose length can be read in two ways is refused (RFC 9112 section 6.3).
  private static func framing(_ headers: HTTPHeaders, isCurrent: Bool) throws(RequestRefusal) -> Framing {
    let lengths = Set(list(headers["Content-Length"]))
    if let coding = headers["Transfer-Encoding"] {
      guard isCurrent, lengths.isEmpty else { throw .malformed("The body's length is given in two ways.") }
      guard list(coding) == ["chunked"] else { throw .coding }
      return .chunked
    }
    guard let length = lengths.first else { return .none }
    guard lengths.count == 1, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw .malformed("The body's length is malformed.")
    }
    // Digits that no number holds are more than any limit.
    let count = Int(length) ?? .max
    return count == 0 ? .none : .length(count)
  }

  private static func list(_ value: String?) -> [String] {
    (value ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
  }

  private static func isTarget(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return false }
    return first == UInt8(ascii: "/") || bytes == [UInt8(ascii: "*")]
      || String(decoding: bytes, as: UTF8.self).lowercased().hasPrefix("http://")
  }

  private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty
      && bytes.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "a")...UInt8(ascii: "z"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }
}
