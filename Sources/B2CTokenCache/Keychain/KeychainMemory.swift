internal import B2CCore
internal import Dispatch
internal import Foundation

/// The state that all caches over one service's keychain items share within the process.
///
/// By service and not by group: a cache without a group and one that names the group of the first are over the same items.
final class KeychainMemory: Sendable {
  /// A record as it was read or written.
  struct Copy: Sendable {
    let record: TokenRecord
    let group: String
    /// When its item was changed last; `nil` when that is not known.
    let modified: Date?
    /// Whether a change of the item is sure to change that date.
    let isSettled: Bool

    /// Whether the item, which has these attributes now, is still what was read.
    func isCurrent(_ attributes: KeychainAttributes) -> Bool {
      isSettled && modified != nil && modified == attributes.modified
    }
  }

  struct Content: Sendable {
    /// The group of a cache that names none.
    var group: String?
    /// Whether the keychain was proved open for items that stay readable then.
    var isProved = false
    /// Records of earlier versions in other groups, by account, until their first use.
    var strays: [String: String] = [:]
    /// The id of this installation, once its records are told from those of former ones.
    var installationID: String?
    var hasLookedForInstallation = false
    /// A call for a token costs no keychain call, or one that reads no secret (benchmark row 18).
    var copies: [TokenCacheKey: Copy] = [:]
  }

  let locks = CacheState.Locks()
  let content = Locked(Content())
  private let queue = DispatchQueue(label: "B2CTokenCache.keychain", qos: .userInitiated)
  /// While the user is asked, all other calls go on.
  private let questions = DispatchQueue(label: "B2CTokenCache.keychain.questions", qos: .userInitiated)

  /// Runs a body that calls the keychain: one at a time, off the threads that tasks share.
  ///
  /// It is not cancelled with its caller.
  func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await Self.run(on: queue, body)
  }

  /// Runs a body that may ask the user: one question at a time, beside the calls of ``run(_:)``.
  func ask<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await Self.run(on: questions, body)
  }

  private static func run<Value: Sendable>(
    on queue: DispatchQueue, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Swift.Result { try body() }) }
    }
  }

  func copy(of key: TokenCacheKey, in group: String) -> Copy? {
    content.withLock { $0.copies[key] }.flatMap { $0.group == group ? $0 : nil }
  }

  /// Keeps a copy in place of the one that was there; none for `nil`.
  func keep(_ copy: Copy?, of key: TokenCacheKey) {
    content.withLock { $0.copies[key] = copy }
  }

  /// Forgets the copies that a complete listing of a group shows to be old.
  func compare(_ listed: [KeychainAttributes], in group: String) {
    let byAccount = Dictionary(listed.map { ($0.account, $0) }) { first, _ in first }
    content.withLock { content in
      content.copies = content.copies.filter { key, copy in
        copy.group != group || byAccount[key.canonicalText].map(copy.isCurrent) == true
      }
    }
  }
}
