package import B2CCore

/// A parsed id_token (RFC 7515 section 7.1), which ``IDTokenExpectations/verify(_:keys:)`` verifies.
package struct IDToken: Sendable {
  /// The largest size of an id_token in bytes.
  package static let maximumLength = 64 * 1024

  /// The token as the provider sent it.
  package let compact: Secret
  /// The algorithm that the header names.
  package let algorithm: JWSAlgorithm
  /// The id of the key that the header names.
  package let keyID: String?
  let signature: [UInt8]
  /// The signed bytes, which are header, dot and payload as they arrived.
  let signingInput: ArraySlice<UInt8>
  private let payload: [UInt8]

  /// Parses a token in compact form (RFC 7515 section 7.1).
  package init(compact: Secret) throws(ConnectorError) {
    let bytes = Array(compact.value.utf8)
    guard bytes.count <= Self.maximumLength else {
      throw ConnectorError(
        idToken: "it has more than \(Self.maximumLength) bytes",
        recoverySuggestion: "Have the provider put fewer claims into it, for example not the user's groups.")
    }
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count != 5 else { throw ConnectorError(idToken: "it has the five parts of an encrypted token") }
    guard parts.count == 3 else { throw ConnectorError(idToken: "it must have three parts, but it has \(parts.count)") }
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
    // Keys in the header and addresses of keys (`jwk`, `jku`, `x5c`, `x5u`) are never read, because an attacker may
    // have written them.
    keyID = header["kid"]?.string
    guard keyID != nil || header["kid"] == nil else { throw ConnectorError(idToken: "its kid is not a string") }
  }

  /// Returns the claims in the payload, which must not be trusted before the signature is verified.
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

  /// Checks that the header is that of a signed JWT.
  private static func checkKind(_ header: [String: JSONValue]) throws(ConnectorError) {
    // An unknown extension must be refused (RFC 7515 section 4.1.11), and the SDK knows none.
    for name in ["crit", "b64", "zip"] where header[name] != nil {
      throw ConnectorError(idToken: "its header has \(name)")
    }
    guard header["enc"] == nil else { throw ConnectorError(idToken: "its header is that of an encrypted token") }
    // Media types ignore upper and lower case, and may leave out `application/` (RFC 7515 section 4.1.9).
    let type = header["typ"] ?? "JWT"
    guard let name = type.string, ["jwt", "application/jwt"].contains(ASCIIText.lowercased(name)) else {
      throw ConnectorError(idToken: "its typ is \(quoted(type.string ?? "not a string")), not JWT")
    }
  }
}

extension IDToken: Redacted {}

// MARK: - Refusals

extension ConnectorError {
  /// Creates the error for an id_token that is refused (OpenID Connect Core 3.1.3.7 and 12.2, RFC 7515, RFC 8725).
  ///
  /// - Parameters:
  ///   - detail: The fault in words, without secret or personal values of the token.
  ///   - recoverySuggestion: The advice for the developer.
  ///   - mayHaveStaleKeys: Whether newer keys of the issuer may change the result, which makes the error retryable.
  package init(idToken detail: String, recoverySuggestion: String? = nil, mayHaveStaleKeys: Bool = false) {
    self.init(
      own: .invalidResponse, "The id_token is refused: \(detail).",
      recoverySuggestion: mayHaveStaleKeys ? Advice.keys : recoverySuggestion, isRetryable: mayHaveStaleKeys)
  }
}

/// Returns a text of a token for an error message: printable, cut, and without parts that look like a token.
func quoted(_ text: String, limit: Int = 100) -> String { "'\(PrintableText(limit: limit).show(text) ?? "")'" }

/// The advice that several rules share.
enum Advice {
  static let algorithm = "Allow the algorithm only if this issuer is known to sign with it."
  static let client = "Check that the client ID is the one registered for this app."
  static let clock = "Compare this device's clock with the server's."
  static let issuer = "Check that the authority in the settings is the one that issued the token."
  static let keys =
    "Try again in a few seconds, because the issuer may have new keys that it has not published everywhere yet."
  static let policy = "Check that the sign-in page and the token request used the same policy."
}
