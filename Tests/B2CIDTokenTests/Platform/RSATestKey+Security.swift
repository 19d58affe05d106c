#if canImport(Security)
  import Foundation
  import Security

  /// An RSA key made for one run of the tests.
  struct RSATestKey: Sendable {
    struct Failure: Error {}

    private let encodedKey: Data
    let modulus: Data
    let exponent: Data

    init(bits: Int) throws {
      let attributes: [String: Any] = [
        kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits as String: bits,
      ]
      guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, nil),
        let encoded = SecKeyCopyExternalRepresentation(key, nil)
      else { throw Failure() }
      encodedKey = encoded as Data
      // RSAPrivateKey begins with version, modulus and publicExponent (RFC 8017 appendix A.1.2).
      var rest = encodedKey[...]
      _ = try Self.header(&rest)
      var integers: [Data] = []
      for _ in 0..<3 {
        let length = try Self.header(&rest)
        integers.append(Data(rest.prefix(length).drop { $0 == 0 }))
        rest = rest.dropFirst(length)
      }
      modulus = integers[1]
      exponent = integers[2]
    }

    func sign(_ input: Data, algorithm: String) throws -> Data {
      let attributes: [String: Any] = [
        kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
      ]
      let algorithms: [String: SecKeyAlgorithm] = [
        "RS256": .rsaSignatureMessagePKCS1v15SHA256, "RS384": .rsaSignatureMessagePKCS1v15SHA384,
        "RS512": .rsaSignatureMessagePKCS1v15SHA512, "PS256": .rsaSignatureMessagePSSSHA256,
        "PS384": .rsaSignatureMessagePSSSHA384, "PS512": .rsaSignatureMessagePSSSHA512,
      ]
      guard let key = SecKeyCreateWithData(encodedKey as CFData, attributes as CFDictionary, nil),
        let algorithm = algorithms[algorithm],
        let signature = SecKeyCreateSignature(key, algorithm, input as CFData, nil)
      else { throw Failure() }
      return signature as Data
    }

    private static func header(_ bytes: inout Data) throws -> Int {
      guard bytes.popFirst() != nil, let first = bytes.popFirst() else { throw Failure() }
      guard first >= 0x80 else { return Int(first) }
      var length = 0
      for _ in 0..<(first & 0x7F) {
        guard let byte = bytes.popFirst() else { throw Failure() }
        length = length << 8 | Int(byte)
      }
      return length
    }
  }
#endif
