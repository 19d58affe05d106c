internal import B2CCore
package import B2CTokenCache
package import Foundation

/// The keychain's calls over a dictionary, answering as the system does; any call can be made to fail.
///
/// While it is locked it knows no item and takes none.
package final class DictionaryKeychain: KeychainItems {
  private struct Content: Sendable {
    var items: [String: Data] = [:]
    var isLocked = false
    var calls: [Call] = []
  }

  package enum Call: Sendable, Hashable {
    case add, update, data, remove, accounts
  }

  private let content: Locked<Content>
  package let isShared: Bool
  private let answer = Locked<KeychainStatus?>(nil)
  private let onCall = Locked<(@Sendable (Call) -> Void)?>(nil)

  package convenience init(isShared: Bool = false) { self.init(Locked(Content()), isShared) }

  private init(_ content: Locked<Content>, _ isShared: Bool) {
    self.content = content
    self.isShared = isShared
  }

  /// The same items for another process, or for the next launch.
  package func otherProcess() -> DictionaryKeychain { DictionaryKeychain(content, isShared) }

  package var contents: [String: Data] { content.withLock { $0.items } }

  /// The calls since the last look.
  package func takeCalls() -> [Call] {
    content.withLock { content in
      defer { content.calls = [] }
      return content.calls
    }
  }

  /// Answers as the system does before the first unlock: nothing is found, and nothing is taken.
  package func lock(_ isLocked: Bool = true) { content.withLock { $0.isLocked = isLocked } }

  /// Lets every later call fail, or none.
  package func fail(with status: KeychainStatus?) { answer.withLock { $0 = status } }

  /// Runs an action after the answer to each call is made and before it is given.
  package func afterCalls(_ action: (@Sendable (Call) -> Void)?) { onCall.withLock { $0 = action } }

  /// Adds, replaces or removes an item as another process does.
  package func plant(_ data: Data?, account: String) { content.withLock { $0.items[account] = data } }

  package func add(_ data: Data, account: String) throws(KeychainStatus) {
    try call(.add) { content throws(KeychainStatus) in
      if content.isLocked { throw .interactionNotAllowed }
      guard content.items[account] == nil else { throw .duplicateItem }
      content.items[account] = data
    }
  }

  package func update(_ data: Data, account: String) throws(KeychainStatus) {
    try call(.update) { content throws(KeychainStatus) in
      guard !content.isLocked, content.items[account] != nil else { throw .itemNotFound }
      content.items[account] = data
    }
  }

  package func data(_ account: String) throws(KeychainStatus) -> Data {
    try call(.data) { content throws(KeychainStatus) in
      guard !content.isLocked, let data = content.items[account] else { throw .itemNotFound }
      return data
    }
  }

  package func remove(_ account: String) throws(KeychainStatus) {
    try call(.remove) { content throws(KeychainStatus) in
      guard !content.isLocked, content.items.removeValue(forKey: account) != nil else { throw .itemNotFound }
    }
  }

  package func accounts() throws(KeychainStatus) -> [String] {
    try call(.accounts) { content throws(KeychainStatus) in
      guard !content.isLocked, !content.items.isEmpty else { throw .itemNotFound }
      return Array(content.items.keys)
    }
  }

  private func call<Answer: Sendable>(
    _ call: Call, _ body: (inout Content) throws(KeychainStatus) -> Answer
  ) throws(KeychainStatus) -> Answer {
    let result = content.withLock { content in
      content.calls.append(call)
      return Result { () throws(KeychainStatus) -> Answer in
        if let status = answer.withLock({ $0 }) { throw status }
        return try body(&content)
      }
    }
    onCall.withLock({ $0 })?(call)
    return try result.get()
  }
}
