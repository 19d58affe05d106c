package import B2CCore
internal import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import Crypto
#endif

/// The proof key of an authorization code (RFC 7636).
///
/// Only the method `S256` exists, so no fallback to `plain` is possible.
package enum PKCE {
  /// Returns the challenge of a verifier, which is the base64url text of its SHA-256 hash (RFC 7636 section 4.2).
  package static func challenge(of verifier: Secret) -> String {
    Base64URL.encode(SHA256.hash(data: Data(verifier.value.utf8)))
  }
}
