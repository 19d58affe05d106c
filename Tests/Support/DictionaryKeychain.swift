internal import B2CCore
package import B2CTokenCache
package import Foundation

/// The keychain's calls over a dictionary, answering as the system does; any call can be made to fail.
///
/// It has the groups of an app's entitlements: an item without a group goes to the first, searches and removals without
/// one go over all, and any other group is refused. While it is locked it knows no item and takes none.
package final class DictionaryKeychain: KeychainItems {
  /// The app's own group, `<team>.<bundle id>`.
  package static let ownGroup = "TEAM.com.example.app"
  /// The process of that app.
  package static let app = KeychainProcess(bundleID: "com.example.app")

  private struct ID: Hashable {
    let account: String
    let group: String
  }

  private struct Item: Sendable {
    var data: Data
    var mark: String
    var modified: Date
  }

  private struct Content: Sendable {
    var items: [ID: Item] = [:]
    /// A date for each change, long ago and never the same.
    var changes = 0
    var isLocked = false
    var calls: [Call] = []

    mutating func date() -> Date {
      changes += 1
      return Date(timeIntervalSince1970: 1_000_000_000 + Double(changes))
    }
  }

  /// The kinds of call.
  package enum Call: Sendable, Hashable {
    case add, update, item, attributes, remove, list
  }

  private let content: Locked<Content>
  private let groups: [String]
  package let staysOpen: Bool
  /// The items that only the user's agreement gives out, where there are any.
  package let protectedItems: ProtectedKeychain?
  package var protected: (any ProtectedKeychainItems)? { protectedItems }
  private let answer = Locked<KeychainStatus?>(nil)
  private let onCall = Locked<(@Sendable (Call) -> Void)?>(nil)

  /// Makes a keychain whose items are in the first of its groups.
  package init(
    _ contents: [String: Data] = [:], groups: [String] = [DictionaryKeychain.ownGroup], staysOpen: Bool = true,
    protected protectedItems: ProtectedKeychain? = nil
  ) {
    var content = Content()
    for (account, data) in contents {
      content.items[ID(account: account, group: groups[0])] = Item(data: data, mark: "", modified: content.date())
    }
    self.content = Locked(content)
    self.groups = groups
    self.staysOpen = staysOpen
    self.protectedItems = protectedItems
  }

  private init(_ other: DictionaryKeychain, groups: [String], staysOpen: Bool, protects: Bool?) {
    content = other.content
    self.groups = groups
    self.staysOpen = staysOpen
    protectedItems = protects.flatMap { other.protectedItems?.otherProcess(isOn: $0) } ?? other.protectedItems
  }

  /// The same items for another process, or for the next launch, perhaps with other entitlements.
  package func otherProcess(groups: [String]? = nil, protects: Bool? = nil) -> DictionaryKeychain {
    DictionaryKeychain(self, groups: groups ?? self.groups, staysOpen: staysOpen, protects: protects)
  }

  /// The data of each account, in whatever group.
  package var contents: [String: Data] {
    content.withLock { Dictionary($0.items.map { ($0.account, $1.data) }) { first, _ in first } }
  }

  /// The groups that an account has items in.
  package func groups(of account: String) -> Set<String> {
    content.withLock { Set($0.items.keys.filter { $0.account == account }.map(\.group)) }
  }

  /// The mark of an item.
  package func mark(of account: String, in group: String = DictionaryKeychain.ownGroup) -> String? {
    content.withLock { $0.items[ID(account: account, group: group)]?.mark }
  }

  /// The calls since the last look.
  package func takeCalls() -> [Call] {
    content.withLock { content in
      defer { content.calls = [] }
      return content.calls
    }
  }

  /// Answers as the system does before the first unlock: nothing is found, and nothing is taken.
  package func lock(_ isLocked: Bool = true) {
    protectedItems?.lock(isLocked)
    content.withLock { $0.isLocked = isLocked }
  }

  package func fail(with status: KeychainStatus?) {
    answer.withLock { $0 = status }
  }

  /// Runs an action after the answer to each call is made and before it is given.
  package func afterCalls(_ action: (@Sendable (Call) -> Void)?) {
    onCall.withLock { $0 = action }
  }

  /// What another process or an earlier version does while this one looks away.
  package func plant(_ data: Data, account: String, in group: String? = nil, mark: String? = nil) {
    content.withLock { content in
      let id = ID(account: account, group: group ?? groups[0])
      content.items[id] = Item(data: data, mark: mark ?? content.items[id]?.mark ?? "", modified: content.date())
    }
  }

  /// Removes an item as another process does.
  package func uproot(_ account: String) {
    content.withLock { content in content.items = content.items.filter { $0.key.account != account } }
  }

  package func add(
    _ data: Data, account: String, mark: String, in group: String?
  ) throws(KeychainStatus) -> String {
    try call(.add, in: group) { content throws(KeychainStatus) in
      if content.isLocked { throw .interactionNotAllowed }
      let id = ID(account: account, group: group ?? groups[0])
      guard content.items[id] == nil else { throw .duplicateItem }
      content.items[id] = Item(data: data, mark: mark, modified: content.date())
      return id.group
    }
  }

  package func update(_ account: String, in group: String, to change: KeychainChange) throws(KeychainStatus) {
    try call(.update, in: group) { content throws(KeychainStatus) in
      let id = ID(account: account, group: group)
      guard !content.isLocked, var item = content.items[id] else { throw .itemNotFound }
      item.data = change.data ?? item.data
      item.mark = change.mark ?? item.mark
      item.modified = content.date()
      let new = ID(account: account, group: change.group ?? group)
      guard groups.contains(new.group) else { throw .noAccessForItem }
      guard new == id || content.items[new] == nil else { throw .duplicateItem }
      content.items[id] = nil
      content.items[new] = item
    }
  }

  package func item(_ account: String, in group: String) throws(KeychainStatus) -> KeychainItem {
    try call(.item, in: group) { content throws(KeychainStatus) in
      let id = ID(account: account, group: group)
      guard !content.isLocked, let item = content.items[id] else { throw .itemNotFound }
      return KeychainItem(attributes: Self.attributes(id, item), data: item.data)
    }
  }

  package func attributes(_ account: String, in group: String?) throws(KeychainStatus) -> KeychainAttributes {
    try call(.attributes, in: group) { content throws(KeychainStatus) in
      let found = content.items.first { $0.key.account == account && isSearched($0.key.group, group) }
      guard !content.isLocked, let found else { throw .itemNotFound }
      return Self.attributes(found.key, found.value)
    }
  }

  package func remove(_ account: String, in group: String?) throws(KeychainStatus) {
    try call(.remove, in: group) { content throws(KeychainStatus) in
      let found = content.items.keys.filter { $0.account == account && isSearched($0.group, group) }
      guard !content.isLocked, !found.isEmpty else { throw .itemNotFound }
      for id in found { content.items[id] = nil }
    }
  }

  package func list(in group: String?) throws(KeychainStatus) -> [KeychainAttributes] {
    try call(.list, in: group) { content throws(KeychainStatus) in
      let found = content.items.filter { isSearched($0.key.group, group) }
      guard !content.isLocked, !found.isEmpty else { throw .itemNotFound }
      return found.map { Self.attributes($0.key, $0.value) }
    }
  }

  private func isSearched(_ group: String, _ searched: String?) -> Bool {
    groups.contains(group) && (searched == nil || searched == group)
  }

  private static func attributes(_ id: ID, _ item: Item) -> KeychainAttributes {
    KeychainAttributes(account: id.account, group: id.group, mark: item.mark, modified: item.modified)
  }

  private func call<Answer: Sendable>(
    _ call: Call, in group: String?, _ body: (inout Content) throws(KeychainStatus) -> Answer
  ) throws(KeychainStatus) -> Answer {
    let result: Result<Answer, KeychainStatus> = content.withLock { content in
      content.calls.append(call)
      if let status = answer.withLock({ $0 }) { return .failure(status) }
      guard group.map(groups.contains) ?? true else { return .failure(.missingEntitlement) }
      do throws(KeychainStatus) {
        return .success(try body(&content))
      } catch {
        return .failure(error)
      }
    }
    onCall.withLock({ $0 })?(call)
    return try result.get()
  }
}

extension SharedKeychain {
  /// The records of one process in the app's own group, which other processes use too.
  package init(
    _ keychain: DictionaryKeychain, lockedIn container: URL, lockTimeout: Duration = .patience,
    clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date = { Date() },
    files: any FileSystem = POSIXFileSystem()
  ) {
    self.init(
      KeychainRecords(keychain, group: DictionaryKeychain.ownGroup, process: DictionaryKeychain.app.sharing),
      lockedIn: container, lockTimeout: lockTimeout, clock: clock, now: now, files: files)
  }
}
