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
  struct File: Decodable {
    let testGroups: [JSONValue]
  }

  static func groups(_ name: String) throws -> [[String: JSONValue]] {
    let directory = try #require(foreignFiles)
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name).json"))
    return try JSONDecoder().decode(File.self, from: data).testGroups.compactMap(\.object)
  }

  /// How many tests came out how, by the algorithm that a token's header names.
  struct Tally: Equatable {
    var accepted: [String: Int] = [:]
    var refused: [String: Int] = [:]
    /// Invalid ones that are accepted: by keys that their issuer made badly.
    var exceptions = 0
    /// Valid ones that are refused for a character outside base64url.
    var strict = 0

    /// Whether there are as many of each as in another tally, at least.
    func covers(_ other: Tally) -> Bool {
      other.accepted.allSatisfy { accepted[$0.key] ?? 0 >= $0.value }
        && other.refused.allSatisfy { refused[$0.key] ?? 0 >= $0.value }
    }
  }

  /// The least that the files contain at the commit that `.ci/vectors` names.
  ///
  /// With fewer, the files were not read.
  static let least: [String: Tally] = [
    "json_web_signature_test": Tally(
      accepted: ["RS256": 8, "PS256": 6, "ES256": 2], refused: ["RS256": 220, "PS256": 40, "ES256": 30, "HS256": 20]),
    "json_web_key_test": Tally(accepted: ["RS256": 1], refused: ["RS256": 3, "ES256": 6]),
    "json_web_crypto_test": Tally(accepted: ["RS256": 1, "ES256": 1], refused: ["RS256": 7, "ES256": 8]),
  ]

  @Test(
    "JSON Web Signatures: no invalid one is accepted, and each valid one by a key that fits",
    arguments: least.keys.sorted())
  func webSignatures(file: String) throws {
    var tally = Tally()
    for group in try Self.groups(file) {
      // Groups without a public key are of HMAC or encryption, which are refused whatever they hold.
      let key = group["public"] ?? group["private"] ?? .null
      let entries = key.object?["keys"] ?? .array([key])
      let keys = try JWKSet(json: JSONEncoder().encode(JSONValue.object(["keys": entries])))
      for test in group["tests"]?.array?.compactMap(\.object) ?? [] {
        guard let compact = test["jws"]?.string else { continue }
        let name = "\(file) \(test["tcId"]?.double ?? 0): \(test["comment"]?.string ?? "")"
        let isValid = test["result"]?.string == "valid"
        let algorithm = Self.algorithm(of: compact)
        do throws(ConnectorError) {
          let token = try IDToken(compact: Secret(compact))
          try token.verifySignature(keys: keys, allowed: .openIDConnect)
          if isValid { tally.accepted[algorithm, default: 0] += 1 } else { tally.exceptions += 1 }
          // A key that its issuer made badly (ROCA, CVE-2017-15361) cannot be recognized, and the issuer publishes it.
          #expect(isValid || name.hasSuffix("rejectsKeyWithRocaVulnerability"), "\(name)")
        } catch {
          guard isValid else {
            tally.refused[algorithm, default: 0] += 1
            continue
          }
          // What is refused before the signature is looked at: HMAC, a key of another `alg`, keys that are too short; and
          // characters outside base64url, which lenient readers skip (RFC 7515 section 2 forbids them).
          let isStrict = error.message.contains("not base64url") && name.contains("InvalidCharacterInserted")
          if isStrict { tally.strict += 1 }
          #expect(
            isStrict || [" alg", "the issuer's key ", "publishes no key"].contains { error.message.contains($0) },
            "\(name): \(error)")
        }
      }
    }
    #expect(tally.covers(try #require(Self.least[file])), "\(tally)")
    #expect(tally.strict == (file == "json_web_signature_test" ? 2 : 0), "\(tally)")
    #expect(tally.exceptions == (file == "json_web_signature_test" ? 0 : 1), "\(tally)")
  }

  private static func algorithm(of compact: String) -> String {
    let header = Base64URL.decode(String(compact.prefix { $0 != "." })) ?? Data()
    return (try? JSONDecoder().decode(JSONValue.self, from: header))?.object?["alg"]?.string ?? ""
  }

  @Test(
    "Raw signatures: exactly the valid ones are accepted",
    arguments: [
      RawFile("rsa_signature_2048_sha256_test", .rs256, valid: 9, invalid: 249),
      RawFile("rsa_pss_2048_sha256_mgf1_32_test", .ps256, valid: 63, invalid: 45),
      RawFile("ecdsa_secp256r1_sha256_p1363_test", .es256, valid: 169, invalid: 83),
      RawFile("ed25519_test", .edDSA, valid: 88, invalid: 63),
    ])
  func rawSignatures(_ raw: RawFile) throws {
    let (file, algorithm) = (raw.name, raw.algorithm)
    let scheme = try #require(algorithm.scheme)
    var counts = (valid: 0, invalid: 0)
    for group in try Self.groups(file) {
      guard let entry = group["publicKeyJwk"] ?? group["keyJwk"] else { continue }
      let keys = try JWKSet(json: JSONEncoder().encode(JSONValue.object(["keys": [entry]]))).keys
      let key = try #require(keys.first)
      for test in group["tests"]?.array?.compactMap(\.object) ?? [] {
        let message = try #require(Self.bytes(test["msg"]))
        let signature = try #require(Self.bytes(test["sig"]))
        let isValid = (try? key.material.get())?.isValid(signature, for: message[...], scheme: scheme) ?? false
        let name = "\(file) \(test["tcId"]?.double ?? 0): \(test["comment"]?.string ?? "")"
        switch test["result"]?.string {
        case "valid":
          counts.valid += 1
          #expect(isValid, "\(name)")
        case "invalid":
          counts.invalid += 1
          #expect(!isValid, "\(name)")
        default: break
        }
      }
    }
    #expect(counts.valid >= raw.valid && counts.invalid >= raw.invalid, "\(counts)")
  }

  /// A file of raw signatures, and how many of them it has with a key that is a JWK, at least.
  struct RawFile: CustomTestStringConvertible {
    let name: String
    let algorithm: JWSAlgorithm
    let valid: Int
    let invalid: Int

    init(_ name: String, _ algorithm: JWSAlgorithm, valid: Int, invalid: Int) {
      self.name = name
      self.algorithm = algorithm
      self.valid = valid
      self.invalid = invalid
    }

    var testDescription: String { name }
  }

  private static func bytes(_ value: JSONValue?) -> [UInt8]? {
    guard let text = value?.string, text.utf8.count.isMultiple(of: 2) else { return nil }
    let digits = Array(text)
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
  }
}
