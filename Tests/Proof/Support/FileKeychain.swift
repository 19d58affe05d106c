import B2CTokenCache
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The keychain's calls over a file, for processes that share a group: the system has none for this program.
///
/// Each call is one step for all processes, as with the keychain's daemon; from one call to the next others come between.
final class FileKeychain: KeychainItems {
  static let group = "TEAM.com.example.shared"

  private struct Item: Codable {
    var data: Data
    var mark: String
    var modified: Date
  }

  private let file: URL

  let staysOpen = true
  let protected: (any ProtectedKeychainItems)?

  init(_ file: URL, protected: (any ProtectedKeychainItems)? = nil) {
    self.file = file
    self.protected = protected
  }

  /// Opens the cache of one process.
  ///
  /// - Parameters:
  ///   - folder: Where the items are; the locks are beside them.
  ///   - isProtected: Whether the refresh tokens are in protected items.
  ///   - isBroken: Whether to leave out the locks between processes.
  /// - Returns: The cache, as an app makes it with an access group and a directory for locks.
  static func open(_ folder: URL, isProtected: Bool = false, isBroken: Bool = false) -> any SharedTokenCache {
    let process = KeychainProcess(bundleID: "com.example.app").sharing
    let records = KeychainRecords(
      FileKeychain(
        folder.appendingPathComponent("keychain"), protected: isProtected ? FileProtectedItems(folder) : nil),
      group: group, process: process)
    return isBroken ? SharedKeychain(records) : SharedKeychain(records, lockedIn: folder, lockTimeout: .seconds(120))
  }

  func add(_ data: Data, account: String, mark: String, in group: String?) throws(KeychainStatus) -> String {
    try changing { items throws(KeychainStatus) in
      guard items[account] == nil else { throw .duplicateItem }
      items[account] = Item(data: data, mark: mark, modified: Date())
    }
    return Self.group
  }

  func update(_ account: String, in group: String, to change: KeychainChange) throws(KeychainStatus) {
    try changing { items throws(KeychainStatus) in
      let old = try Self.item(account, items)
      items[account] = Item(data: change.data ?? old.data, mark: change.mark ?? old.mark, modified: Date())
    }
  }

  func item(_ account: String, in group: String) throws(KeychainStatus) -> KeychainItem {
    let item = try Self.item(account, reading())
    return KeychainItem(attributes: Self.attributes(account, item), data: item.data)
  }

  func attributes(_ account: String, in group: String?) throws(KeychainStatus) -> KeychainAttributes {
    Self.attributes(account, try Self.item(account, reading()))
  }

  func remove(_ account: String, in group: String?) throws(KeychainStatus) {
    try changing { items throws(KeychainStatus) in
      guard items.removeValue(forKey: account) != nil else { throw .itemNotFound }
    }
  }

  func list(in group: String?) throws(KeychainStatus) -> [KeychainAttributes] {
    let items = try reading()
    guard !items.isEmpty else { throw .itemNotFound }
    return items.map { Self.attributes($0.key, $0.value) }
  }

  private static func item(_ account: String, _ items: [String: Item]) throws(KeychainStatus) -> Item {
    guard let item = items[account] else { throw .itemNotFound }
    return item
  }

  private static func attributes(_ account: String, _ item: Item) -> KeychainAttributes {
    KeychainAttributes(account: account, group: group, mark: item.mark, modified: item.modified)
  }

  private func changing(
    _ change: (inout [String: Item]) throws(KeychainStatus) -> Void
  ) throws(KeychainStatus) {
    let descriptor = systemOpen(file.path + ".daemon", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else { throw .notAvailable }
    defer { _ = systemClose(descriptor) }
    var items = try reading()
    try change(&items)
    do {
      try JSONEncoder().encode(items).write(to: file, options: .atomic)
    } catch {
      throw .notAvailable
    }
  }

  /// A file is replaced as a whole, so that no lock is needed to read it.
  private func reading() throws(KeychainStatus) -> [String: Item] {
    guard let data = FileManager.default.contents(atPath: file.path) else { return [:] }
    guard let items = try? JSONDecoder().decode([String: Item].self, from: data) else { throw .undecodable }
    return items
  }
}

// The names of these calls are also those of the type's.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
