internal import B2CCore
internal import Foundation

/// A challenge for a bearer token in `WWW-Authenticate` (RFC 6750 section 3, RFC 9110 section 11.6.1).
package struct AuthenticationChallenge: Sendable, Hashable {
  /// The parameters by lower-cased name; of two with one name, the first.
  package var parameters: [String: String]

  /// Makes a challenge.
  ///
  /// - Parameter parameters: The parameters by lower-cased name.
  package init(parameters: [String: String] = [:]) {
    self.parameters = parameters
  }

  fileprivate mutating func add(_ name: String, _ value: String) {
    if parameters[name] == nil { parameters[name] = value }
  }

  /// The part of the server that asks.
  package var realm: String? { parameters["realm"] }
  /// Why a token was refused: `invalid_token`, `insufficient_scope`, `invalid_request`, or a code that only the server knows.
  package var error: String? { parameters["error"] }
  /// The server's words on that, for a developer.
  package var errorDescription: String? { parameters["error_description"] }
  /// The scopes that a token needs, separated by spaces.
  package var scope: String? { parameters["scope"] }
}

extension AuthenticationChallenge {
  /// Parses the bearer challenges of a header field's value, in order; those of other schemes are left out.
  ///
  /// - Parameter text: The value of `WWW-Authenticate`; several fields joined with commas.
  /// - Returns: The challenges; empty when none is for a bearer token.
  package static func parse(_ text: String) -> [AuthenticationChallenge] {
    var reader = ChallengeReader(text)
    return reader.bearerChallenges()
  }

  /// Returns the most specific bearer challenge of an answer.
  ///
  /// - Parameter field: The answer's `WWW-Authenticate`.
  /// - Returns: The first bearer challenge with claims, else the first with an error, else the first; `nil` when there is
  ///   none.
  package static func bearer(in field: String?) -> AuthenticationChallenge? {
    let all = parse(field ?? "")
    return all.first { $0.parameters["claims"] != nil } ?? all.first { $0.error != nil } ?? all.first
  }
}

extension AuthenticationChallenge: Redacted {
  private static let knownNames: Set<String> = [
    "realm", "error", "error_description", "error_uri", "scope", "claims", "authorization_uri", "client_id",
  ]
  private static let knownErrors: Set<String> = [
    "invalid_request", "invalid_token", "insufficient_scope", "insufficient_claims",
  ]

  /// The names of the parameters, and a known error; no other values.
  ///
  /// A server may write anything into the others, also the token that it was sent.
  package var description: String {
    let names = parameters.keys.filter(Self.knownNames.contains).sorted()
    let others = parameters.count - names.count
    let shown = names.map { name in
      guard name == "error", let error, Self.knownErrors.contains(error) else { return name }
      return "error=\(error)"
    }
    return "challenge Bearer (" + (shown + (others > 0 ? ["\(others) more"] : [])).joined(separator: ", ") + ")"
  }
}

/// Reads `WWW-Authenticate` from left to right, every byte once; commas may be missing, and a last quotation mark.
private struct ChallengeReader {
  private let bytes: [UInt8]
  private var index = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  mutating func bearerChallenges() -> [AuthenticationChallenge] {
    var found: [AuthenticationChallenge] = []
    var isBearer = false
    // A scheme comes first or after a comma; a word elsewhere is the rest of a value without quotes.
    var mayBeScheme = true
    while let byte = current {
      let word = take { !Self.isSpace($0) && !",=\"".utf8.contains($0) }
      if word.isEmpty {
        // White space, a comma, or a mark that belongs to nothing.
        if byte == UInt8(ascii: ",") { mayBeScheme = true }
        if byte == UInt8(ascii: "\"") { _ = quoted() } else { index += 1 }
        continue
      }
      if isAtEqualsSign() {
        let value = current == UInt8(ascii: "\"") ? quoted() : take { !Self.isSpace($0) && $0 != UInt8(ascii: ",") }
        if isBearer { found[found.count - 1].add(word.lowercased(), value) }
      } else if mayBeScheme {
        isBearer = word.lowercased() == "bearer"
        if isBearer { found.append(AuthenticationChallenge()) }
      }
      mayBeScheme = false
    }
    return found
  }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  /// Moves past the equals sign of a parameter and the white space around it.
  private mutating func isAtEqualsSign() -> Bool {
    let start = index
    skip(Self.isSpace)
    guard current == UInt8(ascii: "=") else {
      index = start
      return false
    }
    index += 1
    skip(Self.isSpace)
    return true
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
    return String(decoding: value, as: UTF8.self)
  }

  private mutating func take(_ condition: (UInt8) -> Bool) -> String {
    let start = index
    skip(condition)
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func skip(_ condition: (UInt8) -> Bool) {
    while let byte = current, condition(byte) { index += 1 }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
}
