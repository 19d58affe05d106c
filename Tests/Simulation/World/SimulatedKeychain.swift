#if os(Linux)
  import B2CTokenCache
  import Foundation

  /// The items of a keychain service, in memory, in the one group of an app.
  final class SimulatedKeychain: @unchecked Sendable {
    static let group = "TEAM.com.example.app"
    static let app = KeychainProcess(bundleID: "com.example.app")

    struct Item {
      var data: Data
      var mark: String
      var modified: Date
    }

    var items: [String: Item] = [:]
    var trouble = StoreTrouble()
  }

  /// The keychain as one process sees it: a class, so that its locks are not those of another process.
  final class ProcessKeychain: KeychainItems, @unchecked Sendable {
    let keychain: SimulatedKeychain
    /// `nil` for a look from outside.
    let process: AppProcess?

    init(_ keychain: SimulatedKeychain, _ process: AppProcess?) {
      self.keychain = keychain
      self.process = process
    }

    var staysOpen: Bool { true }

    var protected: (any ProtectedKeychainItems)? { nil }

    func add(_ data: Data, account: String, mark: String, in group: String?) throws(KeychainStatus) -> String {
      try access(writing: true)
      guard keychain.items[account] == nil else { throw .duplicateItem }
      keychain.items[account] = SimulatedKeychain.Item(data: data, mark: mark, modified: Date())
      return SimulatedKeychain.group
    }

    func update(_ account: String, in group: String, to change: KeychainChange) throws(KeychainStatus) {
      try access(writing: true)
      guard var item = keychain.items[account] else { throw .itemNotFound }
      item.data = change.data ?? item.data
      item.mark = change.mark ?? item.mark
      item.modified = Date()
      keychain.items[account] = item
    }

    func item(_ account: String, in group: String) throws(KeychainStatus) -> KeychainItem {
      try access(writing: false)
      guard let item = keychain.items[account] else { throw .itemNotFound }
      return KeychainItem(attributes: attributes(account, item), data: item.data)
    }

    func attributes(_ account: String, in group: String?) throws(KeychainStatus) -> KeychainAttributes {
      try access(writing: false)
      guard let item = keychain.items[account] else { throw .itemNotFound }
      return attributes(account, item)
    }

    func remove(_ account: String, in group: String?) throws(KeychainStatus) {
      try access(writing: true)
      guard keychain.items.removeValue(forKey: account) != nil else { throw .itemNotFound }
    }

    func list(in group: String?) throws(KeychainStatus) -> [KeychainAttributes] {
      try access(writing: false)
      guard !keychain.items.isEmpty else { throw .itemNotFound }
      return keychain.items.keys.sorted().compactMap { account in
        keychain.items[account].map { attributes(account, $0) }
      }
    }

    private func attributes(_ account: String, _ item: SimulatedKeychain.Item) -> KeychainAttributes {
      KeychainAttributes(
        account: account, group: SimulatedKeychain.group, mark: item.mark, modified: item.modified)
    }

    private func access(writing: Bool) throws(KeychainStatus) {
      guard let process else { return }
      process.world.noteAccess(by: process)
      if process.isDead { throw .notAvailable }
      if keychain.trouble.fails(writing: writing) {
        process.world.noteStoreFault(in: process)
        throw .interactionNotAllowed
      }
    }
  }

#endif
