internal import B2COAuth
internal import Foundation

/// A private key that can sign, check and show its public half; one type for each kind of key.
protocol SigningMaterial: Sendable {
  /// The members of the public key's JWK that depend on the kind (RFC 7518 section 6, RFC 8037 section 2).
  var publicMembers: [String: String] { get }

  func signature(for input: Data, algorithm: JWSAlgorithm) throws -> Data

  func isValid(signature: Data, for input: Data, algorithm: JWSAlgorithm) -> Bool
}
