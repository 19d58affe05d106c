#if os(Linux)
  import B2CTokenCache
  import Foundation

  /// The items of a keychain service, in memory.
  final class SimulatedKeychain: @unchecked Sendable {
    var items: [String: Data] = [:]
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
    var isShared: Bool { false }

    func add(_ data: Data, account: String) throws(KeychainStatus) {
      try access(writing: true)
      guard keychain.items[account] == nil else { throw .duplicateItem }
      keychain.items[account] = data
    }

    func update(_ data: Data, account: String) throws(KeychainStatus) {
      try access(writing: true)
      guard keychain.items[account] != nil else { throw .itemNotFound }
      keychain.items[account] = data
    }

    func data(_ account: String) throws(KeychainStatus) -> Data {
      try access(writing: false)
      guard let data = keychain.items[account] else { throw .itemNotFound }
      return data
    }

    func remove(_ account: String) throws(KeychainStatus) {
      try access(writing: true)
      guard keychain.items.removeValue(forKey: account) != nil else { throw .itemNotFound }
    }

    func accounts() throws(KeychainStatus) -> [String] {
      try access(writing: false)
      guard !keychain.items.isEmpty else { throw .itemNotFound }
      return keychain.items.keys.sorted()
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
