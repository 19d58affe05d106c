#if !canImport(Security)
  import Crypto
  import CryptoExtras
  import Foundation

  /// An RSA key made for one run of the tests.
  struct RSATestKey: Sendable {
    private let key: _RSA.Signing.PrivateKey
    let modulus: Data
    let exponent: Data

    init(bits: Int) throws {
      key = try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: bits))
      let primitives = try key.publicKey.getKeyPrimitives()
      modulus = primitives.modulus
      exponent = primitives.publicExponent
    }

    func sign(_ input: Data, algorithm: String) throws -> Data {
      let padding: _RSA.Signing.Padding = algorithm.hasPrefix("PS") ? .PSS : .insecurePKCS1v1_5
      return switch algorithm.suffix(3) {
      case "384": try key.signature(for: SHA384.hash(data: input), padding: padding).rawRepresentation
      case "512": try key.signature(for: SHA512.hash(data: input), padding: padding).rawRepresentation
      default: try key.signature(for: SHA256.hash(data: input), padding: padding).rawRepresentation
      }
    }
  }
#endif
