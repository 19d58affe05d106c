#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

package import B2CCore

/// The `alg` of a signature (RFC 7518 section 3.1, RFC 8037 section 3.1, RFC 9864), as an open set.
///
/// Only those with a scheme below can ever be verified; `none` and the HMAC family have none, so that no allow-list can
/// let them in.
package struct JWSAlgorithm: RawRepresentable, Sendable, Hashable {
  /// The name as the `alg` header field has it.
  package let rawValue: String

  /// Makes an algorithm from its name.
  ///
  /// - Parameter rawValue: The name, such as `RS256`.
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
    // Its first name, and the one that also says the curve.
    "EdDSA": SignatureScheme(family: .ed25519, hash: .sha512),
    "Ed25519": SignatureScheme(family: .ed25519, hash: .sha512),
  ]

  /// How signatures of this algorithm are checked; `nil` for everything that is no public-key signature known here.
  var scheme: SignatureScheme? { Self.schemes[rawValue] }
}

extension Set<JWSAlgorithm> {
  /// The algorithm of Azure AD B2C, Entra External ID and Entra ID.
  package static var microsoft: Self { [.rs256] }

  /// The algorithms of any OpenID Connect issuer.
  package static var openIDConnect: Self { Self(JWSAlgorithm.schemes.keys.map(JWSAlgorithm.init)) }
}

/// The mathematics behind a ``JWSAlgorithm``.
struct SignatureScheme: Sendable, Hashable {
  enum Family: Sendable, Hashable { case rsaPKCS1, rsaPSS, p256, p384, p521, ed25519 }

  let family: Family
  /// The hash of the signature.
  let hash: HashAlgorithm

  /// The hashes that `at_hash` may be made with: OpenID Connect Core 3.1.3.6 names the signature's, which for Ed25519
  /// providers read as SHA-512, its own, or SHA-256.
  var tokenHashes: [HashAlgorithm] { family == .ed25519 ? [.sha512, .sha256] : [hash] }
}

extension JWSAlgorithm {
  /// The `at_hash` that an issuer who signs by this algorithm gives for a token; `nil` for an algorithm that is not known.
  package func tokenHash(of token: Secret) -> String? { scheme?.tokenHashes.first?.leftHalf(of: token) }
}

enum HashAlgorithm: Sendable, Hashable {
  case sha256, sha384, sha512

  /// The value of `at_hash` for a token (OpenID Connect Core 3.1.3.6): the left half of the hash of its ASCII text.
  func leftHalf(of secret: Secret) -> String {
    let text = Array(secret.value.utf8)
    return switch self {
    case .sha256: Base64URL.encode(SHA256.hash(data: text).prefix(16))
    case .sha384: Base64URL.encode(SHA384.hash(data: text).prefix(24))
    case .sha512: Base64URL.encode(SHA512.hash(data: text).prefix(32))
    }
  }
}
