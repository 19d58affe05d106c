import B2CCore
import B2CIDToken
import Foundation
import Testing
import TestSupport

private let foreignFiles = ProcessInfo.processInfo.environment["B2C_VECTORS"].map {
  $0 + "/wycheproof/testvectors_v1"
}

/// The files of Project Wycheproof (github.com/C2SP/wycheproof, Apache License 2.0), where `.ci/vectors` has put them.
@Suite("Project Wycheproof", .enabled(if: foreignFiles != nil))
struct WycheproofTests {
  private typealias Fields = [String: JSONValue]

  private static func groups(_ name: String) throws -> [Fields] {
    let directory = try #require(foreignFiles)
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name).json"))
    return try JSONDecoder().decode(JSONValue.self, from: data).object?["testGroups"]?.array?.compactMap(\.object) ?? []
  }

  /// The tests of a group, each with a name for messages.
  private static func tests(in group: Fields) -> [(test: Fields, name: String)] {
    (group["tests"]?.array?.compactMap(\.object) ?? []).map {
      ($0, "\($0["tcId"]?.double ?? 0): \($0["comment"]?.string ?? "")")
    }
  }

  private static func keySet(_ entries: JSONValue) throws -> JWKSet {
    try JWKSet(json: JSONEncoder().encode(JSONValue.object(["keys": entries])))
  }

  /// A file, and the least that it contains at the commit that `.ci/vectors` names: with fewer, it was not read.
  ///
  /// The numbers are those of the signatures that are accepted and refused, by the algorithm that the header names.
  static let webFiles: [(String, accepted: [String: Int], refused: [String: Int])] = [
    (
      "json_web_signature_test", ["RS256": 8, "PS256": 6, "ES256": 2],
      ["RS256": 220, "PS256": 40, "ES256": 30, "HS256": 20]
    ),
    ("json_web_key_test", ["RS256": 1], ["RS256": 3, "ES256": 6]),
    ("json_web_crypto_test", ["RS256": 1, "ES256": 1], ["RS256": 7, "ES256": 8]),
  ]

  @Test("JSON Web Signatures: no invalid one is accepted, and each valid one by a key that fits", arguments: webFiles)
  func webSignatures(file: String, leastAccepted: [String: Int], leastRefused: [String: Int]) throws {
    var (accepted, refused): ([String: Int], [String: Int]) = ([:], [:])
    // Invalid ones that are accepted, by keys that their issuer made badly, and valid ones that are refused for a
    // character outside base64url.
    var (exceptions, strict) = (0, 0)
    for group in try Self.groups(file) {
      // Groups without a public key are of HMAC or encryption, which are refused whatever they hold.
      let key = group["public"] ?? group["private"] ?? .null
      let keys = try Self.keySet(key.object?["keys"] ?? .array([key]))
      for (test, name) in Self.tests(in: group) {
        guard let compact = test["jws"]?.string else { continue }
        let isValid = test["result"]?.string == "valid"
        let algorithm = Self.algorithm(of: compact)
        do throws(ConnectorError) {
          try IDToken(compact: Secret(compact)).verifySignature(keys: keys, allowed: .openIDConnect)
          if isValid { accepted[algorithm, default: 0] += 1 } else { exceptions += 1 }
          // A key that its issuer made badly (ROCA, CVE-2017-15361) cannot be recognized, and the issuer publishes it.
          #expect(isValid || name.hasSuffix("rejectsKeyWithRocaVulnerability"), "\(file) \(name)")
        } catch {
          guard isValid else {
            refused[algorithm, default: 0] += 1
            continue
          }
          // What is refused before the signature is looked at: HMAC, a key of another `alg`, keys that are too short; and
          // characters outside base64url, which lenient readers skip (RFC 7515 section 2 forbids them).
          let isStrict = error.message.contains("not base64url") && name.contains("InvalidCharacterInserted")
          if isStrict { strict += 1 }
          let faults = [" alg", "the issuer's key ", "publishes no key"]
          #expect(isStrict || faults.contains { error.message.contains($0) }, "\(file) \(name): \(error)")
        }
      }
    }
    #expect(leastAccepted.allSatisfy { accepted[$0.key] ?? 0 >= $0.value }, "\(accepted)")
    #expect(leastRefused.allSatisfy { refused[$0.key] ?? 0 >= $0.value }, "\(refused)")
    let isOfSignatures = file == "json_web_signature_test"
    #expect(strict == (isOfSignatures ? 2 : 0) && exceptions == (isOfSignatures ? 0 : 1))
  }

  private static func algorithm(of compact: String) -> String {
    let header = Base64URL.decode(String(compact.prefix { $0 != "." })) ?? Data()
    return (try? JSONDecoder().decode(JSONValue.self, from: header))?.object?["alg"]?.string ?? ""
  }

  /// A file of raw signatures, and how many of them it has with a key that is a JWK, at least.
  static let rawFiles: [(String, JWSAlgorithm, valid: Int, invalid: Int)] = [
    ("rsa_signature_2048_sha256_test", .rs256, 9, 249), ("rsa_pss_2048_sha256_mgf1_32_test", .ps256, 63, 45),
    ("ecdsa_secp256r1_sha256_p1363_test", .es256, 169, 83), ("ed25519_test", .edDSA, 88, 63),
  ]

  @Test("Raw signatures: exactly the valid ones are accepted", arguments: rawFiles)
  func rawSignatures(file: String, algorithm: JWSAlgorithm, leastValid: Int, leastInvalid: Int) throws {
    let scheme = try #require(algorithm.scheme)
    var counts: [String: Int] = [:]
    for group in try Self.groups(file) {
      guard let entry = group["publicKeyJwk"] ?? group["keyJwk"] else { continue }
      let key = try #require(try Self.keySet([entry]).keys.first)
      for (test, name) in Self.tests(in: group) {
        let message = try #require(Self.bytes(test["msg"]))
        let signature = try #require(Self.bytes(test["sig"]))
        let isValid = (try? key.material.get())?.isValid(signature, for: message[...], scheme: scheme) ?? false
        guard let result = test["result"]?.string, result != "acceptable" else { continue }
        counts[result, default: 0] += 1
        #expect(isValid == (result == "valid"), "\(file) \(name)")
      }
    }
    #expect(counts["valid"] ?? 0 >= leastValid && counts["invalid"] ?? 0 >= leastInvalid, "\(counts)")
  }

  private static func bytes(_ value: JSONValue?) -> [UInt8]? {
    guard let text = value?.string, text.utf8.count.isMultiple(of: 2) else { return nil }
    let digits = Array(text)
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
  }
}
