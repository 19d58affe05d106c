#if os(Linux)
  /// What one sign-in brought: all tokens that the provider has issued for it, and what became of it.
  final class Grant {
    let number: Int
    let person: String
    /// The policy's id in lower case; empty where there is none.
    let policy: String
    /// The call that signed in.
    weak var call: Call?
    let bornAt: UInt64
    /// The newest refresh token, and when it was issued.
    var refreshToken: String?
    var refreshedAt: UInt64
    /// Whether its sign-in reported success.
    var isSignedIn = false
    var signedInAt: UInt64 = 0
    /// Why the provider takes its tokens no longer, if it does not.
    var end: String?
    /// A sign-out reported success for it.
    private(set) var isSignedOut = false
    /// The number of the last call that had begun when that sign-out returned.
    private(set) var lastCall = 0

    func signOut(lastCall: Int) {
      if !isSignedOut { self.lastCall = lastCall }
      isSignedOut = true
    }
    /// A later sign-in of the same person by the same policy took its place.
    var isReplaced = false
    /// What leaves its fate open: a call that failed, or two at once.
    var excuse: String?
    /// What happened to its tokens that no client can survive.
    private(set) var loss: String?

    func lose(_ reason: String) {
      loss = loss ?? reason
      excuse = excuse ?? reason
    }

    init(_ number: Int, person: String, policy: String, call: Call?) {
      self.number = number
      self.person = person
      self.policy = policy
      self.call = call
      bornAt = machine.uptime
      refreshedAt = machine.uptime
    }

    /// Whether its owner has to be able to call: signed in for certain, and nothing has ended it.
    var isGood: Bool { isSignedIn && end == nil && !isSignedOut && !isReplaced && excuse == nil }
  }

  /// One use of a refresh token.
  final class Exchange {
    let grant: Grant
    let token: String
    weak var process: AppProcess?
    let at = machine.uptime
    let app: Int
    /// Why the answer did not reach the client, if it did not.
    var isLost: String? {
      didSet {
        if let isLost, hasRotated { grant.lose("an answer was lost: " + isLost) }
      }
    }
    var isDelivered = false
    /// Whether the answer had a new refresh token, so that the one that was sent is good no longer.
    var hasRotated = false

    init(_ grant: Grant, _ token: String, _ process: AppProcess, _ app: Int) {
      self.grant = grant
      self.token = token
      self.process = process
      self.app = app
    }
  }
#endif
