package import B2CCore

/// A parsed, unverified id_token (RFC 7515 section 7.1); ``IDTokenExpectations/verify(_:keys:)`` returns its claims.
package struct IDToken: Sendable {
  /// The most bytes an id_token may have.
  package static let maximumLength = 64 * 1024

  /// The token as it came.
  package let compact: Secret
  /// The algorithm that the header claims.
  package let algorithm: JWSAlgorithm
  /// The id of the key that the header claims.
  package let keyID: String?
  let signature: [UInt8]
  /// The bytes that are signed: header, dot and payload as they came.
  let signingInput: ArraySlice<UInt8>
  private let payload: [UInt8]

  /// Takes a token in compact form (RFC 7515 section 7.1) apart.
  package init(compact: Secret) throws(ConnectorError) {
    let bytes = Array(compact.value.utf8)
    guard bytes.count <= Self.maximumLength else {
      throw ConnectorError(
        idToken: "it has more than \(Self.maximumLength) bytes",
        recoverySuggestion: "Have fewer claims put into it, such as the groups of the user.")
    }
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count != 5 else { throw ConnectorError(idToken: "it has the five parts of an encrypted token") }
    guard parts.count == 3 else { throw ConnectorError(idToken: "it has \(parts.count) parts, not three") }
    self.compact = compact
    signingInput = bytes[..<parts[1].endIndex]
    let header = try Self.fields(of: try Self.decode(parts[0], "header"), "header")
    payload = try Self.decode(parts[1], "payload")
    signature = try Self.decode(parts[2], "signature")
    try Self.checkKind(header)
    guard let name = header["alg"]?.string else {
      throw ConnectorError(idToken: "its header has no alg", recoverySuggestion: Advice.algorithm)
    }
    algorithm = JWSAlgorithm(rawValue: name)
    // Keys or addresses of keys in the header (`jwk`, `jku`, `x5c`, `x5u`) are never read.
    keyID = header["kid"]?.string
    guard keyID != nil || header["kid"] == nil else { throw ConnectorError(idToken: "its kid is not a string") }
  }

  /// The payload's fields; only a verified signature makes them worth anything.
  package func unverifiedClaims() throws(ConnectorError) -> [String: JSONValue] {
    try Self.fields(of: payload, "payload")
  }

  private static func decode(_ part: ArraySlice<UInt8>, _ name: String) throws(ConnectorError) -> [UInt8] {
    guard let data = Base64URL.decode(String(decoding: part, as: UTF8.self)) else {
      throw ConnectorError(idToken: "its \(name) is not base64url without padding")
    }
    return Array(data)
  }

  private static func fields(of bytes: [UInt8], _ name: String) throws(ConnectorError) -> [String: JSONValue] {
    do {
      return try JSONReader.object(bytes, mayHaveByteOrderMark: false)
    } catch {
      throw ConnectorError(idToken: "its \(name) \(error)")
    }
  }

  /// Checks that a header is that of a signed JWT.
  private static func checkKind(_ header: [String: JSONValue]) throws(ConnectorError) {
    // An extension that is not understood must be refused (RFC 7515 section 4.1.11); none is understood here.
    for name in ["crit", "b64", "zip"] where header[name] != nil {
      throw ConnectorError(idToken: "its header has \(name)")
    }
    guard header["enc"] == nil else { throw ConnectorError(idToken: "its header is that of an encrypted token") }
    // Media types compare without case, and may leave out `application/` (RFC 7515 section 4.1.9).
    let type = header["typ"] ?? "JWT"
    guard let name = type.string, ["jwt", "application/jwt"].contains(ASCIIText.lowercased(name)) else {
      throw ConnectorError(idToken: "its typ is \(quoted(type.string ?? "not a string")), not JWT")
    }
  }
}

extension IDToken: Redacted {}

// MARK: - Refusals

extension ConnectorError {
  /// Makes the refusal of an id_token (OpenID Connect Core 3.1.3.7 and 12.2, RFC 7515, RFC 8725).
  ///
  /// - Parameters:
  ///   - detail: The fault in words, without anything secret or personal from the token.
  ///   - recoverySuggestion: How to fix it.
  ///   - mayHaveStaleKeys: Whether a fresh copy of the issuer's keys may change the answer, as after a key rollover: no
  ///     other refusal is retryable.
  package init(idToken detail: String, recoverySuggestion: String? = nil, mayHaveStaleKeys: Bool = false) {
    self.init(
      own: .invalidResponse, "The id_token is refused: \(detail).",
      recoverySuggestion: mayHaveStaleKeys ? Advice.keys : recoverySuggestion, isRetryable: mayHaveStaleKeys)
  }
}

/// Returns a text of a token's header or payload for a message: printable, cut, token-like parts hidden.
func quoted(_ text: String, limit: Int = 100) -> String { "'\(PrintableText(limit: limit).show(text) ?? "")'" }

/// What to do about a refusal, where more than one rule has the same.
enum Advice {
  static let algorithm = "Allow the algorithm only if this issuer is known to sign with it."
  static let client = "Check that the client ID is the one registered for this app."
  static let clock = "Compare this device's clock with the server's."
  static let issuer = "Check that the authority in the settings is the one that issued the token."
  static let keys =
    "Try again in a few seconds: the issuer may have renewed its keys and not published them everywhere yet."
  static let policy = "Check that the sign-in page and the token request used the same policy."
}
