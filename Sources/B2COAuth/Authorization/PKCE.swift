package import B2CCore
internal import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import Crypto
#endif

/// A proof key for one code exchange (RFC 7636): a fresh verifier and its S256 challenge.
///
/// There is no `plain` method here, and none to fall back to.
package struct PKCE: Sendable {
  /// The verifier: 43 characters from 32 random bytes (RFC 7636 section 4.1).
  package let verifier: Secret
  /// The challenge: the base64url of the verifier's SHA-256 (RFC 7636 section 4.2).
  package let challenge: String

  /// Makes a proof key, of a fresh verifier or of a known one.
  package init(verifier: Secret = RandomToken.make(bytes: 32)) {
    self.verifier = verifier
    challenge = Base64URL.encode(SHA256.hash(data: Data(verifier.value.utf8)))
  }
}
