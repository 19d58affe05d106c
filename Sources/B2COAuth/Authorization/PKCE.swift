internal import B2CCore
internal import B2CIDToken
internal import Foundation

/// A proof key for one code exchange (RFC 7636): a fresh verifier and its S256 challenge.
///
/// There is no `plain` method here, and none to fall back to.
package struct PKCE: Sendable {
  /// The verifier: 43 characters from 32 random bytes (RFC 7636 section 4.1).
  package let verifier: Secret
  /// The challenge: the base64url of the verifier's SHA-256 (RFC 7636 section 4.2).
  package let challenge: String

  /// Makes a fresh proof key.
  package init() {
    self.init(verifier: RandomToken.make(bytes: 32))
  }

  /// Makes the proof key of a known verifier.
  package init(verifier: Secret) {
    self.verifier = verifier
    challenge = Base64URL.encode(SHA256Digest.of(verifier.value))
  }
}
