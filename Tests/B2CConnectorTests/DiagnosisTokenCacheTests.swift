import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The token cache in a diagnosis.
@Suite("The token cache in a diagnosis", .timeLimit(.minutes(10)))
struct DiagnosisTokenCacheTests {
  private func finding(_ cache: any TokenCache) async throws -> Diagnosis.Finding {
    let diagnosis = try await World().connector(cache: cache).diagnose()
    return try #require(diagnosis.findings.first { $0.check == "token cache" })
  }

  @Test("A keychain that can be read and not written is found, with the fix")
  func refusesToAdd() async throws {
    let found = try await finding(KeychainRecords(ReadOnlyKeychain()))
    #expect(found.outcome == .failed, "\(found)")
    #expect(found.detail.contains("OSStatus -34018"))
    #expect(found.recoverySuggestion?.contains("FileTokenCache") == true)
  }

  @Test("A file cache is proved writable, and no file is left", .descriptors())
  func file() async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("diagnosis-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let found = try await finding(FileTokenCache(directory: directory))
    #expect(found.outcome == .ok)
    #expect(found.detail.contains("records of this app: 0; writable"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
  }

  @Test("The keychain is left as it was")
  func keychain() async throws {
    let keychain = DictionaryKeychain()
    let found = try await finding(KeychainRecords(keychain))
    #expect(found.outcome == .ok)
    #expect(found.detail.contains("; writable"))
    #expect(keychain.contents.isEmpty)
  }

  @Test("A custom cache is asked for its keys only, also inside an encrypted one", arguments: [false, true])
  func custom(isEncrypted: Bool) async throws {
    let cache = CountingCache()
    let found = try await finding(
      isEncrypted ? EncryptedTokenCache(wrapping: cache, key: NoKey()) : cache)
    #expect(found.outcome == .ok, "\(found)")
    #expect(found.detail.contains("was not tried"))
    #expect(await cache.calls == ["keys"])
  }
}

/// A keychain without the entitlement to add to it.
private final class ReadOnlyKeychain: KeychainItems {
  let staysOpen = true

  func add(_ data: Data, account: String, mark: String, in group: String?) throws(KeychainStatus) -> String {
    throw .missingEntitlement
  }

  func update(_ account: String, in group: String, to change: KeychainChange) throws(KeychainStatus) {
    throw .missingEntitlement
  }

  func item(_ account: String, in group: String) throws(KeychainStatus) -> KeychainItem { throw .itemNotFound }

  func attributes(_ account: String, in group: String?) throws(KeychainStatus) -> KeychainAttributes {
    throw .itemNotFound
  }

  func remove(_ account: String, in group: String?) throws(KeychainStatus) { throw .itemNotFound }

  func list(in group: String?) throws(KeychainStatus) -> [KeychainAttributes] { throw .itemNotFound }
}

/// A cache that notes its calls and has one record of another app.
private actor CountingCache: TokenCache {
  private(set) var calls: [String] = []

  func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    calls.append("record")
    return nil
  }

  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { calls.append("store") }
  func removeRecord(for key: TokenCacheKey) async throws { calls.append("remove") }

  func keys() async throws -> [TokenCacheKey] {
    calls.append("keys")
    return [TokenCacheKey(authority: "https://login.example", policy: "", clientID: "another", accountID: "alice")]
  }
}

/// A source that a diagnosis of a custom cache does not need.
private struct NoKey: EncryptionKeySource {
  func encryptionKey() async throws -> EncryptionKey { throw CocoaError(.fileReadUnknown) }
}
