import B2CCore

/// One public key of an issuer (RFC 7517), made ready once, so that checking a signature costs no more than its mathematics.
package struct JSONWebKey: Sendable {
  /// The `kid`.
  package let keyID: String?
  /// The one algorithm the key is meant for, if it says so.
  package let algorithm: JWSAlgorithm?
  /// The `use`, such as `sig`.
  package let use: String?
  /// What can be done with the key, or why nothing can.
  let material: Result<VerificationKey, Unsuitability>

  /// Why a key that an issuer publishes is not used.
  struct Unsuitability: Error, Sendable, Hashable {
    let detail: String
  }

  /// Why no signature is checked with the key, in words that go on after "the key"; `nil` for a key that is used.
  package var unsuitability: String? {
    if case .failure(let unsuitability) = material { unsuitability.detail } else { nil }
  }

  /// Reads an entry of a key set; `nil` for kinds of keys that are none of public-key signatures.
  init?(_ members: [String: JSONValue]) {
    guard let type = members["kty"]?.string, ["RSA", "EC", "OKP"].contains(type) else { return nil }
    keyID = members["kid"]?.string
    algorithm = (members["alg"]?.string).map(JWSAlgorithm.init)
    use = members["use"]?.string
    do throws(Unsuitability) {
      try Self.checkPurpose(members)
      material = .success(try Self.verificationKey(type: type, members))
    } catch {
      material = .failure(error)
    }
  }

  /// RFC 7517 sections 4.2 and 4.3.
  private static func checkPurpose(_ members: [String: JSONValue]) throws(Unsuitability) {
    if let use = members["use"], use != .string("sig") {
      throw Unsuitability(detail: "is not for signatures")
    }
    if let operations = members["key_ops"] {
      guard let operations = operations.array, operations.contains(.string("verify")) else {
        throw Unsuitability(detail: "is not for verifying")
      }
    }
  }
}
