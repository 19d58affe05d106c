/// The mathematics behind a ``JWSAlgorithm``.
struct SignatureScheme: Sendable, Hashable {
  enum Family: Sendable, Hashable {
    case rsaPKCS1
    case rsaPSS
    case p256
    case p384
    case p521
    case ed25519
  }

  let family: Family
  /// The hash of the signature, and of `at_hash` and `c_hash` beside it.
  let hash: HashAlgorithm
}
