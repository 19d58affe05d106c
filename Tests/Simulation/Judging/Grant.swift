/// What one sign-in brought: all tokens that the provider has issued for it, and what became of it.
final class Grant {
  let number: Int
  let person: String
  let bornAt: UInt64
  /// The refresh tokens from which the session can go on: the newest one; several only where the provider takes one
  /// that was used again, and two processes have done so.
  private(set) var refreshTokens: Set<String> = []
  /// When the newest one was issued.
  private(set) var refreshedAt: UInt64
  private let allowsReuse: Bool
  /// Whether its sign-in reported success.
  private(set) var isSignedIn = false
  private(set) var signedInAt: UInt64 = 0
  /// The number of the last call that had begun by then.
  private var signedInAfter = 0
  /// Why the provider takes its tokens no longer, if it does not.
  var end: String?
  /// A sign-out reported success for it.
  private(set) var isSignedOut = false
  /// The number of the last call that had begun by then.
  private(set) var lastCall = 0
  /// A later sign-in of the same person took its place.
  var isReplaced = false
  /// Why nothing is expected of it: what left its fate open, or happened to its tokens that no client can survive.
  private(set) var excuse: String?
  private let ledger: Ledger

  init(_ number: Int, person: String, allowsReuse: Bool, _ ledger: Ledger) {
    self.number = number
    self.person = person
    self.allowsReuse = allowsReuse
    self.ledger = ledger
    bornAt = machine.uptime
    refreshedAt = machine.uptime
  }

  func signIn(lastCall: Int) {
    isSignedIn = true
    signedInAt = machine.uptime
    signedInAfter = lastCall
  }

  /// Whether its sign-in had reported success when a call began.
  func isSignedIn(before call: Call) -> Bool { isSignedIn && call.number > signedInAfter }

  /// Whether its sign-in had ended before another one had its tokens, which is stored after that.
  func isBefore(_ other: Grant) -> Bool { isSignedIn && signedInAt < other.bornAt }

  func signOut(lastCall: Int) {
    if !isSignedOut { self.lastCall = lastCall }
    isSignedOut = true
  }

  /// A call that failed, or two at once, leave its fate open.
  func leaveOpen(_ reason: String) { excuse(by: "left open: " + reason) }

  /// No client has a token of it any more that the provider takes.
  func lose(_ reason: String) { excuse(by: "session lost: " + reason) }

  /// Each grant is counted once, unless it had come to its end before.
  private func excuse(by reason: String) {
    guard excuse == nil else { return }
    excuse = reason
    if end == nil, !isSignedOut, !isReplaced { ledger.excuse(reason) }
  }

  /// The provider has issued a refresh token, for another one after a refresh.
  func issue(_ token: String, for used: String?) {
    if let used { refreshTokens.remove(used) }
    refreshTokens.insert(token)
    refreshedAt = machine.uptime
  }

  /// No client has the token that came for another one: only a provider that allows it takes that one again.
  func lose(_ token: String, broughtBy used: String, _ reason: String) {
    guard allowsReuse else { return lose(reason) }
    if refreshTokens.remove(token) != nil { refreshTokens.insert(used) }
  }

  /// Whether one of its refresh tokens is among those of a store.
  func isStored(in tokens: Set<String>) -> Bool { !refreshTokens.isDisjoint(with: tokens) }

  /// Whether its owner has to be able to call: signed in for certain, and nothing has ended it.
  var isGood: Bool { isSignedIn && end == nil && !isSignedOut && !isReplaced && excuse == nil }
}

/// One use of a refresh token.
final class Exchange {
  let grant: Grant
  let token: String
  weak var process: AppProcess?
  let at = machine.uptime
  private let suspendedBefore: UInt64
  let app: Int
  /// The new refresh token of the answer; `nil` where the one that was sent stays good.
  let brought: String?
  /// Why no client has the answer any more, if that is so.
  private(set) var loss: String?
  /// When its answer reached the client, by the uptime.
  var deliveredAt: UInt64?

  /// Whether a process that ends now need not have stored what it brought: it has just come, the process was suspended, or
  /// the store has refused it something since.
  func mayBeUnstored(by process: AppProcess) -> Bool {
    guard let deliveredAt, !process.isSuspended, process.timeSuspended == suspendedBefore else { return true }
    return process.lastStoreFault >= at || machine.uptime - deliveredAt < 5_000_000_000
  }

  func lose(_ reason: String) {
    guard loss == nil else { return }
    loss = reason
    if let brought { grant.lose(brought, broughtBy: token, reason) }
  }

  init(_ grant: Grant, _ token: String, brought: String?, _ process: AppProcess, _ app: Int) {
    self.grant = grant
    self.token = token
    self.brought = brought
    self.process = process
    self.app = app
    suspendedBefore = process.timeSuspended
  }
}
