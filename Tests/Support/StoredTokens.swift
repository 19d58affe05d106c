package import B2CTokenCache
package import Foundation

/// The token stores of one version of the package as test data: the same sign-ins in each kind of cache.
///
/// ```
/// <directory>/signins.json     whom the records belong to, and their tokens
/// <directory>/files/           a `FileTokenCache`
/// <directory>/encrypted/       an `EncryptedTokenCache` over a `FileTokenCache`, its key in a file
/// <directory>/encryption-key   that key
/// <directory>/sealed/          an `EncryptedTokenCache` over a `FileTokenCache`, its key in the keychain
/// <directory>/keychain.json    the keychain's items by service and account: records, and the key of `sealed`
/// ```
package struct StoredTokens: Sendable {
  /// The kinds of cache.
  package enum Kind: String, CaseIterable, Sendable {
    case files, encrypted, sealed, keychain
  }

  /// A sign-in at a local tenant as it is unless it is told otherwise.
  package struct SignIn: Codable, Sendable {
    /// The tenant's shape, as its case is named.
    package let shape: String
    package let policyID: String?
    package let email: String
    package let accountID: String
    package let accessToken: String
    package let refreshToken: String

    package init(
      shape: String, policyID: String?, email: String, accountID: String, accessToken: String, refreshToken: String
    ) {
      self.shape = shape
      self.policyID = policyID
      self.email = email
      self.accountID = accountID
      self.accessToken = accessToken
      self.refreshToken = refreshToken
    }
  }

  private let directory: URL
  private let records: DictionaryKeychain
  private let key: DictionaryKeychain

  private static let signIns = "signins.json"
  private static let keychain = "keychain.json"

  /// Opens the stores in a directory that is private to this user.
  package init(_ directory: URL) throws {
    self.directory = directory
    let file = directory.appending(path: Self.keychain)
    let items = try (try? Data(contentsOf: file)).map {
      try JSONDecoder().decode([String: [String: Data]].self, from: $0)
    }
    records = DictionaryKeychain(items?["records"] ?? [:])
    key = DictionaryKeychain(items?["key"] ?? [:])
  }

  /// Opens a private copy of stores as a checkout has them: their files open to all, whose caches refuse that.
  package init(copying source: URL, to directory: URL) throws {
    let files = FileManager.default
    try files.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for path in try files.subpathsOfDirectory(atPath: source.path).sorted() {
      let (old, new) = (source.appending(path: path), directory.appending(path: path))
      if try old.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
        try files.createDirectory(at: new, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      } else {
        try Data(contentsOf: old).write(to: new)
        try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: new.path)
      }
    }
    try self.init(directory)
  }

  /// A new cache over a store, as the next launch opens it.
  package func cache(_ kind: Kind) throws -> any TokenCache {
    func files() throws -> FileTokenCache { try FileTokenCache(directory: directory.appending(path: kind.rawValue)) }
    return switch kind {
    case .files: try files()
    case .encrypted:
      EncryptedTokenCache(
        wrapping: try files(), key: KeyFile(directory.appending(path: "encryption-key")))
    case .sealed:
      EncryptedTokenCache(wrapping: try files(), key: StoredKeychainKey(key, process: DictionaryKeychain.app))
    case .keychain: KeychainRecords(records, process: DictionaryKeychain.app)
    }
  }

  /// Reads the sign-ins.
  package func signIns() throws -> [SignIn] {
    try JSONDecoder().decode([SignIn].self, from: Data(contentsOf: directory.appending(path: Self.signIns)))
  }

  /// Writes the sign-ins and the keychain beside the caches' own files, and removes the files that hold nothing.
  package func save(_ signIns: [SignIn]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(signIns).write(to: directory.appending(path: Self.signIns))
    try encoder.encode(["records": records.contents, "key": key.contents])
      .write(to: directory.appending(path: Self.keychain))
    for path in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
      let file = directory.appending(path: path)
      if try file.resourceValues(forKeys: [.fileSizeKey]).fileSize == 0 { try FileManager.default.removeItem(at: file) }
    }
  }
}
