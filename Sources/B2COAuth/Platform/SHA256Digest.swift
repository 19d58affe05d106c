#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

/// SHA-256 of a text's UTF-8 bytes.
package enum SHA256Digest {
  /// Returns the hash of a text.
  package static func of(_ text: String) -> [UInt8] {
    Array(SHA256.hash(data: Array(text.utf8)))
  }
}
