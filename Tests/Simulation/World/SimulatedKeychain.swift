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
    /// Whether refresh tokens are in protected items.
    var isProtected = false
    var protected: [String: Data] = [:]
    /// How many of a thousand questions the person does not agree to.
    var refusals = 150
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

    var protected: (any ProtectedKeychainItems)? { keychain.isProtected ? ProtectedItems(self) : nil }

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
      if let key = TokenCacheKey(canonicalText: account) { process?.world.noteReading(key) }
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
      // Without a group it is looked for the app's group, once in a process.
      if group != nil { process?.world.noteListing() }
      guard !keychain.items.isEmpty else { throw .itemNotFound }
      return keychain.items.keys.sorted().compactMap { account in
        keychain.items[account].map { attributes(account, $0) }
      }
    }

    private func attributes(_ account: String, _ item: SimulatedKeychain.Item) -> KeychainAttributes {
      KeychainAttributes(
        account: account, group: SimulatedKeychain.group, mark: item.mark, modified: item.modified)
    }

    fileprivate func access(writing: Bool) throws(KeychainStatus) {
      guard let process else { return }
      process.world.noteAccess(by: process)
      if process.isDead { throw .notAvailable }
      if keychain.trouble.fails(writing: writing) {
        process.world.noteStoreFault(in: process)
        throw .interactionNotAllowed
      }
    }
  }

  /// The protected refresh tokens of a keychain, and a person who answers the system's question at once.
  private struct ProtectedItems: ProtectedKeychainItems {
    private final class Question: KeychainAuthentication, @unchecked Sendable {
      var isAnswered = false
      var isInvalid = false

      func invalidate() { isInvalid = true }
    }

    private let items: ProcessKeychain

    init(_ items: ProcessKeychain) { self.items = items }

    var isOn: Bool { true }

    func authentication() -> any KeychainAuthentication { Question() }

    func add(
      _ data: Data, account: String, in group: String, with authentication: (any KeychainAuthentication)?
    ) throws(ProtectedItemFailure) {
      do throws(KeychainStatus) {
        try items.access(writing: true)
      } catch {
        throw .refused(error)
      }
      guard items.keychain.protected[account] == nil else { throw .refused(.duplicateItem) }
      items.keychain.protected[account] = data
    }

    func data(
      _ account: String, in group: String, with authentication: any KeychainAuthentication
    ) throws(ProtectedItemFailure) -> Data {
      do throws(KeychainStatus) {
        try items.access(writing: false)
      } catch {
        throw .refused(error)
      }
      guard let data = items.keychain.protected[account] else { throw .gone }
      guard let process = items.process, let question = authentication as? Question else { return data }
      if question.isInvalid { throw .cancelled }
      if !question.isAnswered {
        process.world.ledger.chaos["questions for a protected token", default: 0] += 1
        if machine.draw.happens(items.keychain.refusals) {
          process.world.noteRefusal(in: process)
          throw machine.draw.one(of: [.cancelled, .cancelled, .notAllowed, .lockedOut])
        }
      }
      question.isAnswered = true
      return data
    }

    func remove(_ account: String, in group: String) throws(KeychainStatus) {
      try items.access(writing: true)
      guard items.keychain.protected.removeValue(forKey: account) != nil else { throw .itemNotFound }
    }

    func accounts(in group: String) throws(KeychainStatus) -> [String] {
      try items.access(writing: false)
      guard !items.keychain.protected.isEmpty else { throw .itemNotFound }
      return items.keychain.protected.keys.sorted()
    }
  }
#endif
