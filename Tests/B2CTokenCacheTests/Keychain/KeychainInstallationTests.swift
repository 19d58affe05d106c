import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// Records of a former installation of the app, told by a file that goes with the app.
@Suite("Keychain, former installations", .timeLimit(.minutes(10)))
struct KeychainInstallationTests {
  private static let account = Samples.key.canonicalText
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private var file: InstallationFile {
    InstallationFile(directory: directory.store, bundleID: "com.example.app", service: "B2CConnector.TokenCache")
  }

  /// The cache of a new launch.
  private func launch(
    _ keychain: DictionaryKeychain, withFile: Bool = true, group: String? = nil,
    process: KeychainProcess = DictionaryKeychain.app
  ) -> KeychainRecords {
    KeychainRecords(
      keychain.otherProcess(), group: group, installation: withFile ? file : nil, process: process)
  }

  private func deleteApp() throws {
    try FileManager.default.removeItem(at: directory.store)
  }

  @Test("The first start with the option keeps what is stored, and gives it the id")
  func firstStart() async throws {
    let keychain = DictionaryKeychain()
    try await launch(keychain, withFile: false).store(Samples.record(), for: Samples.key)
    #expect(try await launch(keychain).record(for: Samples.key) == Samples.record())
    let id = try #require(keychain.mark(of: Self.account))
    #expect(UUID(uuidString: id) != nil)
    #expect(try directory.paths().count == 1)
    #expect(try directory.paths().first?.contains("com.example.app") == true)
    // The next start changes nothing.
    #expect(try await launch(keychain).keys() == [Samples.key])
    #expect(keychain.mark(of: Self.account) == id)
  }

  @Test("A record of a former installation is removed; one that was stored since is not")
  func newInstallation() async throws {
    let keychain = DictionaryKeychain()
    try await launch(keychain).store(Samples.record(), for: Samples.key)
    try deleteApp()
    let cache = launch(keychain)
    #expect(try await cache.keys().isEmpty)
    #expect(try await cache.record(for: Samples.key) == nil)
    #expect(keychain.contents.isEmpty)
    try await cache.store(Samples.record("two"), for: Samples.key)
    #expect(try await launch(keychain).record(for: Samples.key) == Samples.record("two"))
  }

  @Test("A protected refresh token goes with its record, and no user is asked")
  func protectedToken() async throws {
    let items = ProtectedKeychain()
    let keychain = DictionaryKeychain(protected: items)
    try await launch(keychain).store(Samples.record(), for: Samples.key)
    #expect(try await launch(keychain).keys() == [Samples.key] && items.contents.count == 1)
    try deleteApp()
    #expect(try await launch(keychain).keys().isEmpty)
    #expect(items.contents.isEmpty && items.questions == 0)
  }

  @Test("The copy of another cache goes with the record of a former installation")
  func copyOfOtherCache() async throws {
    let keychain = DictionaryKeychain()
    try await launch(keychain).store(Samples.record(), for: Samples.key)
    try deleteApp()
    let process = DictionaryKeychain.app
    let withoutFile = KeychainRecords(keychain, process: process)
    #expect(try await withoutFile.record(for: Samples.key) == Samples.record())
    let withFile = KeychainRecords(keychain, installation: file, process: process)
    #expect(try await withFile.record(for: Samples.otherKey) == nil)
    #expect(try await withoutFile.record(for: Samples.key) == nil)
  }

  @Test("A sign-in that was stored without the option, over one of a former installation, is kept")
  func optionSwitchedOffMeanwhile() async throws {
    let keychain = DictionaryKeychain()
    try await launch(keychain).store(Samples.record(), for: Samples.key)
    try deleteApp()
    var newer = Samples.record("two")
    newer.signedInAt = Samples.date(60)
    try await launch(keychain, withFile: false).store(newer, for: Samples.key)
    #expect(try await launch(keychain).record(for: Samples.key) == newer)
  }

  static let withoutID: [(String?, KeychainProcess)] = others + [(nil, DictionaryKeychain.app)]

  @Test("A refresh by a process without an id leaves the record to its installation", arguments: withoutID)
  func refreshedWithoutID(_ group: String?, _ process: KeychainProcess) async throws {
    let keychain = DictionaryKeychain()
    try await launch(keychain).store(Samples.record(), for: Samples.key)
    let id = keychain.mark(of: Self.account)
    let other = launch(keychain, withFile: false, group: group, process: process)
    try await other.store(Samples.record("two"), for: Samples.key)
    #expect(keychain.mark(of: Self.account) == id)
    #expect(try await launch(keychain).record(for: Samples.key) == Samples.record("two"))
    try deleteApp()
    #expect(try await launch(keychain).keys().isEmpty)
  }

  @Test("A start on a locked device removes nothing and makes no file", arguments: [nil, DictionaryKeychain.ownGroup])
  func lockedStart(_ group: String?) async throws {
    let keychain = DictionaryKeychain()
    try await launch(keychain).store(Samples.record(), for: Samples.key)
    keychain.lock()
    let cache = launch(keychain, group: group)
    #expect(await failure { _ = try await cache.keys() }?.code == .unreadable)
    keychain.lock(false)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
    keychain.lock()
    try deleteApp()
    let next = launch(keychain, group: group)
    #expect(await failure { _ = try await next.record(for: Samples.key) }?.code == .unreadable)
    #expect(!FileManager.default.fileExists(atPath: directory.store.path))
    #expect(keychain.contents[Self.account] != nil)
  }

  static let others: [(String?, KeychainProcess)] = [
    (nil, KeychainProcess(bundleID: "com.example.app", isExtension: true)),
    (DictionaryKeychain.ownGroup, KeychainProcess(bundleID: "com.example.app.widget", isExtension: true)),
    (DictionaryKeychain.ownGroup, KeychainProcess(bundleID: "com.example.sibling")),
  ]

  @Test("In an extension, and in a group that is not the app's own, nothing is removed", arguments: others)
  func notTheApp(_ group: String?, _ process: KeychainProcess) async throws {
    let keychain = DictionaryKeychain()
    try await launch(keychain).store(Samples.record(), for: Samples.key)
    let id = keychain.mark(of: Self.account)
    try deleteApp()
    #expect(try await launch(keychain, group: group, process: process).keys() == [Samples.key])
    #expect(keychain.mark(of: Self.account) == id)
    #expect(!FileManager.default.fileExists(atPath: directory.store.path))
  }

  @Test(
    "Nothing is removed when the file cannot be read or written", arguments: ["unwritable", "damaged", "directory"])
  func unusableFile(_ trouble: String) async throws {
    let keychain = DictionaryKeychain()
    try await launch(keychain).store(Samples.record(), for: Samples.key)
    let path = try #require(directory.paths().first)
    let stored = directory.store.appendingPathComponent(path)
    switch trouble {
    case "unwritable":
      // A file in the place of the directory, which keeps out privileged users too.
      try deleteApp()
      try Data().write(to: directory.store)
    case "damaged": try Data("canary".utf8).write(to: stored)
    default:
      try FileManager.default.removeItem(at: stored)
      try FileManager.default.createDirectory(at: stored, withIntermediateDirectories: false)
    }
    let cache = launch(keychain)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
    try await cache.store(Samples.record("two"), for: Samples.key)
    #expect(try await launch(keychain).record(for: Samples.key) == Samples.record("two"))
  }
}
