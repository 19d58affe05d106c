internal import B2CCore
internal import Foundation

/// A challenge in `WWW-Authenticate` (RFC 9110 section 11.6.1, RFC 6750 section 3).
package struct AuthenticationChallenge: Sendable, Hashable {
  /// The scheme as written, such as `Bearer`; empty when the server left it out.
  package var scheme: String
  /// The one bare value that some schemes have in place of parameters, such as `Negotiate`.
  package var token68: String?
  /// The parameters by lower-cased name; of two with one name, the first.
  package var parameters: [String: String]

  /// Makes a challenge.
  ///
  /// - Parameters:
  ///   - scheme: The scheme.
  ///   - token68: The bare value in place of parameters.
  ///   - parameters: The parameters by lower-cased name.
  package init(scheme: String, token68: String? = nil, parameters: [String: String] = [:]) {
    self.scheme = scheme
    self.token68 = token68
    self.parameters = parameters
  }

  /// The part of the server that asks.
  package var realm: String? { parameters["realm"] }
  /// Why a token was refused: `invalid_token`, `insufficient_scope`, `invalid_request`, or a code that only the server knows.
  package var error: String? { parameters["error"] }
  /// The server's words on that, for a developer.
  package var errorDescription: String? { parameters["error_description"] }
  /// The scopes that a token needs, separated by spaces.
  package var scope: String? { parameters["scope"] }
  /// Whether this challenge is about bearer tokens; one without a scheme is taken for it.
  package var isBearer: Bool { scheme.isEmpty || scheme.lowercased() == "bearer" }
}

extension AuthenticationChallenge {
  /// Parses all challenges of a header field's value, in order.
  ///
  /// What servers really send is taken: several challenges in one value, parameters without a scheme or without quotes,
  /// missing commas, a quotation that does not end.
  ///
  /// - Parameter text: The value of `WWW-Authenticate`; several fields joined with commas.
  /// - Returns: The challenges; empty when there is nothing to read.
  package static func parse(_ text: String) -> [AuthenticationChallenge] {
    var reader = ChallengeReader(text)
    return reader.challenges()
  }

  /// Returns the most specific bearer challenge of an answer.
  ///
  /// - Parameter headers: The answer's header fields.
  /// - Returns: The first bearer challenge with claims, else the first with an error, else the first; `nil` when there is
  ///   none.
  package static func bearer(in headers: TransportRequest.Headers) -> AuthenticationChallenge? {
    let all = headers.values(of: "WWW-Authenticate").flatMap(parse).filter(\.isBearer)
    return all.first { $0.parameters["claims"] != nil } ?? all.first { $0.error != nil } ?? all.first
  }
}

extension AuthenticationChallenge: Redacted {
  private static let knownNames: Set<String> = [
    "realm", "error", "error_description", "error_uri", "scope", "claims", "authorization_uri", "client_id",
  ]
  private static let knownSchemes: Set<String> = ["", "bearer", "basic", "digest", "negotiate"]
  private static let knownErrors: Set<String> = [
    "invalid_request", "invalid_token", "insufficient_scope", "insufficient_claims",
  ]

  /// The scheme, if it is one of the usual ones, the names of the parameters, and a known error; no other values.
  ///
  /// A server may write anything into the others, also the token that it was sent.
  package var description: String {
    let names = parameters.keys.filter(Self.knownNames.contains).sorted()
    let others = parameters.count - names.count
    let shown = names.map { name in
      guard name == "error", let error, Self.knownErrors.contains(error) else { return name }
      return "error=\(error)"
    }
    let scheme = Self.knownSchemes.contains(scheme.lowercased()) ? scheme : "another scheme"
    return "challenge \(scheme) (" + (shown + (others > 0 ? ["\(others) more"] : [])).joined(separator: ", ") + ")"
  }
}

/// Reads `WWW-Authenticate` from left to right, in one pass: every byte is looked at a bounded number of times.
private struct ChallengeReader {
  private let bytes: [UInt8]
  private var index = 0
  /// The next comma, and the last equals sign before it; kept, since many parameters may come before one comma.
  private var segment = (comma: 0, lastEquals: -1)
  private var found: [AuthenticationChallenge] = []

  init(_ text: String) {
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    bytes = Array((isASCII ? text : Self.withoutMarks(text)).utf8)
  }

  /// Replaces combining marks: to compare and hash strings, Swift sorts each run of them in quadratic time.
  private static func withoutMarks(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      scalars.append(scalar.properties.canonicalCombiningClass == .notReordered ? scalar : "?")
    }
    return String(scalars)
  }

  mutating func challenges() -> [AuthenticationChallenge] {
    while true {
      skip { Self.isSpace($0) || $0 == UInt8(ascii: ",") }
      guard index < bytes.count else { return found }
      let word = take { !Self.isSpace($0) && !Self.isDelimiter($0) }
      guard !word.isEmpty else {
        // A stray mark, such as an equals sign or a quotation that belongs to nothing.
        if current == UInt8(ascii: "\"") { _ = quoted() } else { index += 1 }
        continue
      }
      if isAtEqualsSign() {
        add(word.lowercased(), value())
      } else {
        found.append(AuthenticationChallenge(scheme: word, token68: token68()))
      }
    }
  }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func add(_ name: String, _ value: String) {
    if found.isEmpty { found.append(AuthenticationChallenge(scheme: "")) }
    let last = found.count - 1
    if found[last].parameters[name] == nil { found[last].parameters[name] = value }
  }

  /// Moves past the equals sign of a parameter and the white space around it.
  private mutating func isAtEqualsSign() -> Bool {
    let start = index
    skip(Self.isSpace)
    if current == UInt8(ascii: "=") {
      index += 1
      skip(Self.isSpace)
      return true
    }
    index = start
    return false
  }

  private mutating func value() -> String {
    if current == UInt8(ascii: "\"") { return quoted() }
    findComma()
    let firstWord = bytes[index..<segment.comma].prefix { !Self.isSpace($0) }
    // Without quotes, a space is part of the value only when nothing after it looks like another parameter.
    let value = segment.lastEquals < firstWord.endIndex ? bytes[index..<segment.comma] : firstWord
    index = value.endIndex
    return Self.text(value).trimmingSpaces
  }

  private mutating func findComma() {
    guard index >= segment.comma else { return }
    segment = (bytes.count, -1)
    for place in index..<bytes.count {
      if bytes[place] == UInt8(ascii: ",") {
        segment.comma = place
        return
      }
      if bytes[place] == UInt8(ascii: "=") { segment.lastEquals = place }
    }
  }

  /// RFC 9110 section 5.6.4.
  private mutating func quoted() -> String {
    index += 1
    var value: [UInt8] = []
    while let byte = current, byte != UInt8(ascii: "\"") {
      index += 1
      if byte == UInt8(ascii: "\\"), let escaped = current {
        value.append(escaped)
        index += 1
      } else {
        value.append(byte)
      }
    }
    index += 1
    return Self.text(value)
  }

  /// A bare value after a scheme, up to the comma, padded with equals signs.
  private mutating func token68() -> String? {
    let start = index
    skip(Self.isSpace)
    let word = bytes[index...].prefix { Self.isToken68($0) }
    let padding = bytes[word.endIndex...].prefix { $0 == UInt8(ascii: "=") }
    let rest = bytes[padding.endIndex...].drop(while: Self.isSpace)
    guard !word.isEmpty, rest.first ?? UInt8(ascii: ",") == UInt8(ascii: ",") else {
      index = start
      return nil
    }
    index = padding.endIndex
    return Self.text(bytes[word.startIndex..<padding.endIndex])
  }

  private mutating func skip(_ condition: (UInt8) -> Bool) {
    while let byte = current, condition(byte) { index += 1 }
  }

  private mutating func take(_ condition: (UInt8) -> Bool) -> String {
    let start = index
    skip(condition)
    return Self.text(bytes[start..<index])
  }

  private static func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }

  private static func isDelimiter(_ byte: UInt8) -> Bool { ",=\"".utf8.contains(byte) }

  /// RFC 9110 section 11.2.
  private static func isToken68(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default:
      "-._~+/".utf8.contains(byte)
    }
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
}
