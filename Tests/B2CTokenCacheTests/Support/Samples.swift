import B2CTokenCache
import Foundation

/// Keys, records and directories for the tests; no real secret is in them.
enum Samples {
  static let key = TokenCacheKey(
    authority: "https://contoso.b2clogin.com/contoso.onmicrosoft.com", policy: "B2C_1_SignIn",
    clientID: "11111111-2222-3333-4444-555555555555",
    userID: "aaaaaaaa-0000-0000-0000-000000000001.bbbbbbbb-0000-0000-0000-000000000002")

  static let otherKey = TokenCacheKey(
    authority: key.authority, policy: key.policy, clientID: key.clientID, userID: "another.tenant")

  static func record(_ mark: String = "one") -> TokenRecord {
    TokenRecord(
      refreshToken: Secret("canary-refresh-\(mark)"), refreshTokenExpiresAt: date(86_400),
      idToken: Secret("canary-id-\(mark)"), claims: ["name": .string("Canary Claim")],
      accessTokens: [
        CachedAccessToken(
          token: Secret("canary-access-\(mark)"), scopes: ["write", "read"], receivedAt: date(0),
          expiresAt: date(3600), refreshAt: date(1800))
      ], signedInAt: date(0), policyID: "B2C_1_SignIn")
  }

  static func encryptionKey(_ byte: UInt8 = 7) throws -> EncryptionKey {
    try EncryptionKey(bytes: Data(repeating: byte, count: 32))
  }

  static func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_767_225_600 + seconds) }
}

/// A directory that is removed when the value goes away.
final class TemporaryDirectory: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("b2c-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  var store: URL { url.appendingPathComponent("store", isDirectory: true) }

  /// Every file and directory below the store, as paths relative to it.
  func paths() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: store.path).sorted()
  }

  /// The files that hold records.
  func recordFiles() throws -> [URL] {
    try paths().filter { $0.hasSuffix(".json") }.map { store.appendingPathComponent($0) }
  }

  /// The names of the files that were renamed because they could not be read as records.
  func damagedFiles() throws -> [String] {
    try paths().filter { $0.hasSuffix(".damaged") }
  }

  func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }
}

/// A short text about an error, for what the tests look for in it.
func failure(_ body: () async throws -> Void) async -> TokenCacheError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? TokenCacheError
  }
}
