#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

package import B2CCore

/// The `alg` of a signature (RFC 7518 section 3.1, RFC 8037 section 3.1, RFC 9864), which may have any name.
///
/// Only algorithms with a scheme below can be verified. `none` and the HMAC family have no scheme, so no list of
/// allowed algorithms can let them in.
package struct JWSAlgorithm: RawRepresentable, Sendable, Hashable {
  /// The name as it is in the `alg` header field.
  package let rawValue: String

  /// Creates an algorithm from its name.
  ///
  /// - Parameter rawValue: The name, for example `RS256`.
  package init(rawValue: String) { self.rawValue = rawValue }

  /// RSASSA-PKCS1-v1_5 with SHA-256, which Azure AD B2C uses.
  package static let rs256 = Self(rawValue: "RS256")

  fileprivate static let schemes: [String: SignatureScheme] = [
    "RS256": SignatureScheme(family: .rsaPKCS1, hash: .sha256),
    "RS384": SignatureScheme(family: .rsaPKCS1, hash: .sha384),
    "RS512": SignatureScheme(family: .rsaPKCS1, hash: .sha512),
    "PS256": SignatureScheme(family: .rsaPSS, hash: .sha256),
    "PS384": SignatureScheme(family: .rsaPSS, hash: .sha384),
    "PS512": SignatureScheme(family: .rsaPSS, hash: .sha512),
    "ES256": SignatureScheme(family: .p256, hash: .sha256),
    "ES384": SignatureScheme(family: .p384, hash: .sha384),
    "ES512": SignatureScheme(family: .p521, hash: .sha512),
    // RFC 8037 named the algorithm first, and RFC 9864 gave it a second name that includes the curve.
    "EdDSA": SignatureScheme(family: .ed25519, hash: .sha512),
    "Ed25519": SignatureScheme(family: .ed25519, hash: .sha512),
  ]

  /// The scheme that verifies this algorithm, or `nil` if it is not a known public-key signature.
  package var scheme: SignatureScheme? { Self.schemes[rawValue] }
}

extension Set<JWSAlgorithm> {
  /// The algorithm of Azure AD B2C, Entra External ID and Entra ID.
  package static var microsoft: Self { [.rs256] }

  /// The algorithms that any OpenID Connect issuer may use.
  package static var openIDConnect: Self { Self(JWSAlgorithm.schemes.keys.map(JWSAlgorithm.init)) }
}

/// The cryptography behind a ``JWSAlgorithm``.
package struct SignatureScheme: Sendable, Hashable {
  enum Family: Sendable, Hashable { case rsaPKCS1, rsaPSS, p256, p384, p521, ed25519 }

  let family: Family
  /// The hash of the signature.
  let hash: HashAlgorithm

  /// The hashes that `at_hash` may be made with.
  ///
  /// OpenID Connect Core section 3.1.3.6 requires the signature's hash. For Ed25519 some providers use its own SHA-512,
  /// and others SHA-256.
  var tokenHashes: [HashAlgorithm] { family == .ed25519 ? [.sha512, .sha256] : [hash] }
}

extension JWSAlgorithm {
  /// Returns the `at_hash` of a token from an issuer with this algorithm, or `nil` if the algorithm is unknown.
  package func tokenHash(of token: Secret) -> String? { scheme?.tokenHashes.first?.leftHalf(of: token) }
}

enum HashAlgorithm: Sendable, Hashable {
  case sha256, sha384, sha512

  /// Returns the `at_hash` of a token (OpenID Connect Core section 3.1.3.6), which is the left half of its hash.
  func leftHalf(of secret: Secret) -> String {
    let text = Array(secret.value.utf8)
    return switch self {
    case .sha256: Base64URL.encode(SHA256.hash(data: text).prefix(16))
    case .sha384: Base64URL.encode(SHA384.hash(data: text).prefix(24))
    case .sha512: Base64URL.encode(SHA512.hash(data: text).prefix(32))
    }
  }
}
