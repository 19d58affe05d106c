package import B2CCore
internal import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import Crypto
#endif

/// The proof key of a code exchange (RFC 7636).
///
/// There is no `plain` method here, and none to fall back to.
package enum PKCE {
  /// Returns the challenge of a verifier: the base64url of its SHA-256 (RFC 7636 section 4.2).
  package static func challenge(of verifier: Secret) -> String {
    Base64URL.encode(SHA256.hash(data: Data(verifier.value.utf8)))
  }
}
