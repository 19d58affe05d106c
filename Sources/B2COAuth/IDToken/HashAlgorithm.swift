#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

import B2CCore

enum HashAlgorithm: Sendable, Hashable {
  case sha256
  case sha384
  case sha512

  /// The value of `at_hash` or `c_hash` for a token or code (OpenID Connect Core 3.1.3.6 and 3.3.2.11): the left half of
  /// the hash of its ASCII text.
  func leftHalf(of secret: Secret) -> String {
    let text = Array(secret.value.utf8)
    return switch self {
    case .sha256: Base64URL.encode(SHA256.hash(data: text).prefix(16))
    case .sha384: Base64URL.encode(SHA384.hash(data: text).prefix(24))
    case .sha512: Base64URL.encode(SHA512.hash(data: text).prefix(32))
    }
  }
}
