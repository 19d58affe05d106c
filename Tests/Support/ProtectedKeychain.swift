internal import B2CCore
package import B2CTokenCache
internal import Dispatch
package import Foundation

/// The protected items of a keychain over a dictionary, and a user who answers its questions.
package final class ProtectedKeychain: ProtectedKeychainItems {
  /// One question to the user, good for all calls that follow with it.
  private final class Authentication: KeychainAuthentication {
    struct State: Sendable {
      var isGiven = false
      var isInvalid = false
    }

    let state = Locked(State())
    private let onInvalidation: @Sendable () -> Void

    init(onInvalidation: @escaping @Sendable () -> Void) {
      self.onInvalidation = onInvalidation
    }

    func invalidate() {
      state.withLock { $0.isInvalid = true }
      onInvalidation()
    }
  }

  private struct Content: Sendable {
    var items: [String: Data] = [:]
    var answer: ProtectedItemFailure?
    var refusal: KeychainStatus?
    var isLocked = false
    var mayList = true
    var questions = 0
    /// How often an item was added, and how often with an authentication that the user had given.
    var added = 0
    var addedWithAnswer = 0
    var onQuestion: (@Sendable () -> Void)?
  }

  package let isOn: Bool
  private let content: Locked<Content>
  /// Passed once for each invalidation, by a question that stays open until then.
  private let ended = DispatchSemaphore(value: 0)

  package init(isOn: Bool = true) {
    self.isOn = isOn
    content = Locked(Content())
  }

  private init(_ other: ProtectedKeychain, isOn: Bool) {
    content = other.content
    self.isOn = isOn
  }

  /// The same items for an app with or without protection.
  package func otherProcess(isOn: Bool) -> ProtectedKeychain { ProtectedKeychain(self, isOn: isOn) }

  // MARK: The user, the device and the test

  /// How often the user was asked.
  package var questions: Int { content.withLock { $0.questions } }

  /// How often an item was added, and how often by the answer that a reading had brought.
  package var added: (all: Int, withAnswer: Int) { content.withLock { ($0.added, $0.addedWithAnswer) } }

  /// The items' data, by account.
  package var contents: [String: Data] { content.withLock { $0.items } }

  /// The tokens, the newest last.
  package var tokens: [String] {
    contents.sorted { Self.number($0.key) < Self.number($1.key) }.map { String(decoding: $0.value, as: UTF8.self) }
  }

  /// What the user answers, or the device for them; `nil` agrees.
  package func answer(_ failure: ProtectedItemFailure?) {
    content.withLock { $0.answer = failure }
  }

  /// Refuses to add and to remove.
  package func refuse(_ status: KeychainStatus?) {
    content.withLock { $0.refusal = status }
  }

  /// Answers as before the first unlock.
  func lock(_ isLocked: Bool) {
    content.withLock { $0.isLocked = isLocked }
  }

  /// Refuses to list items without a question, as it is not documented not to.
  package func forbidListing() {
    content.withLock { $0.mayList = false }
  }

  /// Runs an action while a question is open, before its answer.
  package func onQuestion(_ action: (@Sendable () -> Void)?) {
    content.withLock { $0.onQuestion = action }
  }

  /// Keeps a question open until it is ended: the user looks away.
  package func waitForInvalidation() { ended.wait() }

  /// A new enrolment: no item can be read any more.
  package func invalidateAll() {
    content.withLock { $0.items = [:] }
  }

  package func remove(_ account: String) {
    content.withLock { $0.items[account] = nil }
  }

  package func plant(_ token: String, account: String) {
    content.withLock { $0.items[account] = Data(token.utf8) }
  }

  private static func number(_ account: String) -> Int {
    account.split(separator: "#").last.flatMap { Int($0) } ?? 0
  }

  // MARK: The keychain's calls

  package func authentication() -> any KeychainAuthentication {
    Authentication { [ended] in ended.signal() }
  }

  package func add(
    _ data: Data, account: String, in _: String, with authentication: (any KeychainAuthentication)?
  ) throws(ProtectedItemFailure) {
    let given = (authentication as? Authentication)?.state.withLock { $0.isGiven && !$0.isInvalid } == true
    try change { content throws(ProtectedItemFailure) in
      if let refusal = content.refusal { throw .refused(refusal) }
      if content.isLocked { throw .notAllowed }
      if content.answer == .notSetUp { throw .notSetUp }
      guard content.items[account] == nil else { throw .refused(.duplicateItem) }
      content.items[account] = data
      content.added += 1
      if given { content.addedWithAnswer += 1 }
    }
  }

  package func data(
    _ account: String, in _: String, with authentication: any KeychainAuthentication
  ) throws(ProtectedItemFailure) -> Data {
    guard let authentication = authentication as? Authentication else { throw .refused(.authenticationFailed) }
    // What is not there is not asked for.
    guard content.withLock({ $0.items[account] != nil && !$0.isLocked }) else { throw .gone }
    let isGiven = authentication.state.withLock { $0.isGiven }
    if !isGiven {
      let onQuestion = content.withLock { content in
        if content.answer != .notAllowed { content.questions += 1 }
        return content.onQuestion
      }
      onQuestion?()
    }
    if authentication.state.withLock({ $0.isInvalid }) { throw .cancelled }
    return try change { content throws(ProtectedItemFailure) in
      if !isGiven, let answer = content.answer { throw answer }
      guard let data = content.items[account] else { throw .gone }
      authentication.state.withLock { $0.isGiven = true }
      return data
    }
  }

  package func remove(_ account: String, in _: String) throws(KeychainStatus) {
    let status: KeychainStatus? = content.withLock { content in
      if let refusal = content.refusal { return refusal }
      return content.isLocked || content.items.removeValue(forKey: account) == nil ? .itemNotFound : nil
    }
    if let status { throw status }
  }

  package func accounts(in _: String) throws(KeychainStatus) -> [String] {
    let (status, accounts): (KeychainStatus?, [String]) = content.withLock { content in
      if !content.mayList { return (.interactionNotAllowed, []) }
      return content.isLocked || content.items.isEmpty ? (.itemNotFound, []) : (nil, Array(content.items.keys))
    }
    if let status { throw status }
    return accounts
  }

  private func change<Value: Sendable>(
    _ body: (inout Content) throws(ProtectedItemFailure) -> Value
  ) throws(ProtectedItemFailure) -> Value {
    let result: Result<Value, ProtectedItemFailure> = content.withLock { content in
      do throws(ProtectedItemFailure) {
        return .success(try body(&content))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
