import B2CCore

/// The members of a token's header that are read; keys or addresses of keys in it (`jwk`, `jku`, `x5c`, `x5u`) never are.
struct JWSHeader: Sendable {
  let algorithm: JWSAlgorithm
  let keyID: String?

  init(_ members: [String: JSONValue]) throws(IDTokenRejection) {
    // An extension that is not understood must be refused (RFC 7515 section 4.1.11); none is understood here.
    for name in ["crit", "b64", "zip"] where members[name] != nil {
      throw IDTokenRejection(.extensionDemanded, "its header has \(name)")
    }
    if members["enc"] != nil {
      throw IDTokenRejection(.encrypted, "its header is that of an encrypted token")
    }
    if let type = members["typ"] {
      guard let text = type.string, Self.isJWT(text) else {
        throw IDTokenRejection(.type, "its typ is \(IDTokenRejection.quote(type.string ?? "no text")), not JWT")
      }
    }
    guard let name = members["alg"]?.string else {
      throw IDTokenRejection(.algorithm, "its header has no alg")
    }
    algorithm = JWSAlgorithm(rawValue: name)
    if let value = members["kid"] {
      guard let text = value.string else { throw IDTokenRejection(.malformed, "its kid is no text") }
      keyID = text
    } else {
      keyID = nil
    }
  }

  /// Media types compare without case, and may leave out `application/` (RFC 7515 section 4.1.9).
  private static func isJWT(_ type: String) -> Bool {
    let type = ASCIIText.lowercased(type)
    return type == "jwt" || type == "application/jwt"
  }
}
