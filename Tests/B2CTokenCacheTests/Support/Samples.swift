import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// Keys, records and directories for the tests; no real secret is in them.
enum Samples {
  static let key = TokenCacheKey(
    authority: "https://contoso.b2clogin.com/contoso.onmicrosoft.com",
    clientID: "11111111-2222-3333-4444-555555555555",
    userID: "aaaaaaaa-0000-0000-0000-000000000001.bbbbbbbb-0000-0000-0000-000000000002")

  static let otherKey = TokenCacheKey(authority: key.authority, clientID: key.clientID, userID: "another.tenant")

  /// The sign-in and the stamp of every record that is not given others.
  static let uuid = UUID(uuid: (0x11, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0x22))

  static func record(_ mark: String = "one", stamp: UUID = uuid) -> TokenRecord {
    TokenRecord(
      signIn: uuid, stamp: stamp, signedInAt: date(0), position: 7, policyID: "B2C_1_SignIn",
      claims: ["name": .string("Canary Claim")], idToken: Secret("canary-id-\(mark)"),
      refreshToken: Secret("canary-refresh-\(mark)"), refreshTokenExpiresAt: date(86_400),
      accessTokens: [
        CachedAccessToken(
          token: Secret("canary-access-\(mark)"), scopes: ["write", "read"], receivedAt: date(0),
          expiresAt: date(3600), refreshAt: date(1800))
      ])
  }

  static let sealingKey = Data(repeating: 7, count: 32)

  static func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_767_225_600 + seconds) }
}

/// The calls with the key of the samples, whose records are told apart by a mark.
extension SharedTokenCache {
  func sample() async throws -> TokenRecord? { try await record(for: Samples.key) }
  func store(_ mark: String) async throws { try await store(Samples.record(mark), for: Samples.key) }
  func remove() async throws { try await removeRecord(for: Samples.key) }

  /// Replaces a record that has the stamp of the samples.
  @discardableResult
  func replace(with mark: String) async throws -> Bool {
    try await replace(Samples.key, expecting: Samples.uuid, with: Samples.record(mark))
  }

  /// The three writes.
  var writes: [@Sendable () async throws -> Void] {
    [{ try await self.store("two") }, { try await self.replace(with: "two") }, { try await self.remove() }]
  }

  /// All calls except that of the refresh lock.
  var calls: [@Sendable () async throws -> Void] {
    [{ _ = try await self.sample() }, { _ = try await self.keys() }] + writes
  }
}

extension TemporaryDirectory {
  var store: URL { url.appendingPathComponent("store", isDirectory: true) }

  /// Every file and directory below the store, as paths relative to it.
  func paths() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: store.path).sorted() }

  /// The files that hold records.
  func recordFiles() throws -> [URL] {
    try paths().filter { $0.hasSuffix(".json") }.map { store.appendingPathComponent($0) }
  }

  func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }
}

/// Expects a call to fail with a cache's error, which shows no value of a record.
@discardableResult
func expectFailure<Value>(
  _ words: String, isRetryable: Bool = false, sourceLocation: SourceLocation = #_sourceLocation,
  _ call: @Sendable () async throws -> Value
) async -> ConnectorError? {
  let error = await #expect(throws: ConnectorError.self, sourceLocation: sourceLocation) { _ = try await call() }
  guard let error else { return nil }
  #expect(error.code == .tokenCache && error.isRetryable == isRetryable, "\(error)", sourceLocation: sourceLocation)
  #expect(error.description.contains(words), sourceLocation: sourceLocation)
  #expect(!error.description.lowercased().contains("canary"), sourceLocation: sourceLocation)
  return error
}
