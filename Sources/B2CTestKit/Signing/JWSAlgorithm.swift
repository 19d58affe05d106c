/// A JWS signature algorithm by its registered name (RFC 7518 section 3.1, RFC 8037 section 3.1).
public struct JWSAlgorithm: RawRepresentable, Sendable, Hashable {
  /// The name as the `alg` header member has it.
  public var rawValue: String

  /// Makes an algorithm from its name.
  ///
  /// - Parameter rawValue: The name, such as `RS256`.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// RSASSA-PKCS1-v1_5 with SHA-256, which Azure AD B2C uses.
  public static let rs256 = JWSAlgorithm(rawValue: "RS256")
  /// RSASSA-PSS with SHA-256.
  public static let ps256 = JWSAlgorithm(rawValue: "PS256")
  /// ECDSA on P-256 with SHA-256.
  public static let es256 = JWSAlgorithm(rawValue: "ES256")
  /// ECDSA on P-384 with SHA-384.
  public static let es384 = JWSAlgorithm(rawValue: "ES384")
  /// ECDSA on P-521 with SHA-512.
  public static let es512 = JWSAlgorithm(rawValue: "ES512")
  /// EdDSA, here with Ed25519.
  public static let edDSA = JWSAlgorithm(rawValue: "EdDSA")
  /// No signature at all: for tokens that must be refused.
  public static let none = JWSAlgorithm(rawValue: "none")
}
