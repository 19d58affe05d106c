import B2CCore
import Foundation
import Testing

@testable import B2CIDToken

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

  @Test(
    "JSON Web Signatures: no invalid one is accepted, and each valid one by a key that fits",
    arguments: ["json_web_signature_test", "json_web_key_test", "json_web_crypto_test"])
  func webSignatures(file: String) throws {
    var accepted = 0
    for group in try Self.groups(file) {
      // Groups without a public key are of HMAC or encryption, which are refused whatever they hold.
      let key = group["public"] ?? group["private"] ?? .null
      let entries = key.object?["keys"] ?? .array([key])
      let keys = try JWKSet(json: JSONEncoder().encode(JSONValue.object(["keys": entries])))
      for test in group["tests"]?.array?.compactMap(\.object) ?? [] {
        guard let compact = test["jws"]?.string else { continue }
        let name = "\(file) \(test["tcId"]?.double ?? 0): \(test["comment"]?.string ?? "")"
        do throws(IDTokenRejection) {
          let token = try IDToken(compact: Secret(compact))
          try IDTokenVerifier().verifySignature(of: token, keys: keys, allowed: .openIDConnect)
          accepted += 1
          // A key that its issuer made badly (ROCA, CVE-2017-15361) cannot be told from the token; the issuer publishes it.
          #expect(test["result"]?.string != "invalid" || name.hasSuffix("rejectsKeyWithRocaVulnerability"), "\(name)")
        } catch {
          guard test["result"]?.string == "valid" else { continue }
          // What is refused before the signature is looked at: HMAC, a key of another `alg`, keys that are too short; and
          // characters outside base64url, which lenient readers skip (RFC 7515 section 2 forbids them).
          let isStrict = error.reason == .malformed && name.contains("InvalidCharacterInserted")
          #expect(isStrict || [.algorithm, .unsuitableKey, .unknownKey].contains(error.reason), "\(name): \(error)")
        }
      }
    }
    #expect(file != "json_web_signature_test" || accepted > 20)
  }

  @Test(
    "Raw signatures: exactly the valid ones are accepted",
    arguments: [
      ("rsa_signature_2048_sha256_test", JWSAlgorithm.rs256), ("rsa_pss_2048_sha256_mgf1_32_test", .ps256),
      ("ecdsa_secp256r1_sha256_p1363_test", .es256), ("ed25519_test", .edDSA),
    ])
  func rawSignatures(file: String, algorithm: JWSAlgorithm) throws {
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
    #expect(counts.valid > 5 && counts.invalid > 40, "\(counts)")
  }

  private static func bytes(_ value: JSONValue?) -> [UInt8]? {
    guard let text = value?.string, text.utf8.count.isMultiple(of: 2) else { return nil }
    let digits = Array(text)
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
  }
}
