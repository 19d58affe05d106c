internal import B2CCore
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

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

  /// Why a token was refused: `invalid_token`, `insufficient_scope`, `invalid_request`, or a code that only the server knows.
  var error: String? { parameters["error"] }
  /// The scopes that a token needs, separated by spaces.
  var scope: String? { parameters["scope"] }
  /// Whether a token with further claims is asked for, whatever becomes of them.
  var wantsClaims: Bool { parameters["claims"] != nil }
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

  /// Takes the most specific bearer challenge of an answer; `nil` when there is none.
  ///
  /// That is the first with claims, else the first with an error, else the first.
  init?(_ response: HTTPURLResponse) {
    let all = Self.parse(response.value(forHTTPHeaderField: "WWW-Authenticate") ?? "")
    guard let best = all.first(where: \.wantsClaims) ?? all.first(where: { $0.error != nil }) ?? all.first
    else { return nil }
    self = best
  }
}

extension AuthenticationChallenge {
  /// The most bytes of claims that are taken.
  private static let maximumClaimsBytes = 4_096

  /// Returns the claims that a new token needs, as the JSON text for the `claims` parameter of an authorization request;
  /// `nil` when they are not a JSON object of at most 4 KiB.
  ///
  /// Microsoft's services send it in Base64, in either alphabet and with or without padding; plain JSON is taken too. The
  /// claims go into the URL of the next sign-in page as they are: with the token that was sent in them they are not the
  /// API's.
  ///
  /// - Parameter secrets: The tokens that were sent.
  /// - Returns: The claims as JSON.
  func claims(hiding secrets: [Secret] = []) -> String? {
    guard let text = parameters["claims"], let json = Self.decoded(text), json.utf8.count <= Self.maximumClaimsBytes,
      (try? JSONReader.object(Data(json.utf8))) != nil,
      !secrets.contains(where: { json.range(of: $0.value, options: [.literal, .caseInsensitive]) != nil })
    else { return nil }
    let shown = PrintableText.plain(json, limit: Self.maximumClaimsBytes)
    return (try? JSONReader.object(Data(shown.utf8))) == nil ? nil : shown
  }

  private static func decoded(_ text: String) -> String? {
    if text.hasPrefix("{") { return text }
    let urlSafe = text.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    return Base64URL.decode(urlSafe.prefix { $0 != "=" }).flatMap { String(bytes: $0, encoding: .utf8) }
  }
}

extension AuthenticationChallenge: Redacted {
  /// The type's name: a server may repeat the token in any parameter.
  package var description: String { "AuthenticationChallenge" }
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
