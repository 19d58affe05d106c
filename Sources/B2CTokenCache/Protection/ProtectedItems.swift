internal import B2CCore
package import Foundation

/// The calls made on protected keychain items, which the system gives out only after the user has agreed.
///
/// They are items of a service of their own, so that no query for a record meets one. Only ``data(_:in:with:)`` asks.
package protocol ProtectedKeychainItems: Sendable {
  /// Whether refresh tokens are stored in such items; otherwise those of an earlier version of the app are still found.
  var isOn: Bool { get }

  /// Makes the authentication of one renewal; the user is asked when it is first used for reading.
  func authentication() -> any KeychainAuthentication

  /// Adds an item; `duplicateItem` when there is one.
  func add(
    _ data: Data, account: String, in group: String, with authentication: (any KeychainAuthentication)?
  ) throws(ProtectedItemFailure)

  /// Returns the data of an item; blocks until the user has answered.
  func data(
    _ account: String, in group: String, with authentication: any KeychainAuthentication
  ) throws(ProtectedItemFailure) -> Data

  /// Removes an item; `itemNotFound` when there is none.
  func remove(_ account: String, in group: String) throws(KeychainStatus)

  /// Returns the accounts of all items; `itemNotFound` when there are none.
  func accounts(in group: String) throws(KeychainStatus) -> [String]
}

/// One answer of the user, good for reading a protected item and for storing the one that replaces it.
package protocol KeychainAuthentication: AnyObject, Sendable {
  /// Ends a question that is open, and makes the authentication useless.
  func invalidate()
}

/// The reason why the authentication cannot succeed now (`LAError.Code`).
package enum AuthenticationObstacle: Int, Sendable {
  case passcodeNotSet = -5
  case biometryNotAvailable = -6
  case biometryNotEnrolled = -7
  case biometryLockout = -8
}

/// The reason why a protected item was not read or added.
package enum ProtectedItemFailure: Error, Hashable, Sendable {
  /// There is none, or none that can ever be read again.
  case gone
  case cancelled
  case lockedOut
  /// No passcode, or no face or finger that this app may ask for.
  case notSetUp
  /// No question can be shown: the app is not active, or the device is locked.
  case notAllowed
  case refused(KeychainStatus)

  /// Reads the answer of the keychain.
  ///
  /// - Parameters:
  ///   - status: The keychain's status.
  ///   - obstacle: Why the user cannot be authenticated now, if that is so.
  ///   - isForEnrolment: Whether the item is good for the faces and fingers only that were enrolled when it was added.
  package init(_ status: KeychainStatus, obstacle: AuthenticationObstacle?, isForEnrolment: Bool) {
    self =
      switch (status, obstacle) {
      case (.itemNotFound, _), (.undecodable, _): .gone
      case (.userCanceled, _): .cancelled
      case (.interactionNotAllowed, _): .notAllowed
      case (.authenticationFailed, .biometryLockout), (.notAvailable, .biometryLockout): .lockedOut
      // Without an enrolment the one that the item was added under has changed.
      case (.authenticationFailed, .passcodeNotSet) where isForEnrolment,
        (.authenticationFailed, .biometryNotEnrolled) where isForEnrolment:
        .gone
      case (.authenticationFailed, .some), (.notAvailable, .some): .notSetUp
      // The user was asked, and did not pass.
      case (.authenticationFailed, nil): .cancelled
      default: .refused(status)
      }
  }

  /// The cache's error: none of them ends a session.
  func error(_ code: TokenCacheError.Code, _ action: String) -> TokenCacheError {
    let status: KeychainStatus
    switch self {
    case .cancelled:
      return TokenCacheError(
        .authenticationCancelled, "The user has not agreed to the use of the refresh token.",
        recoverySuggestion: "The session goes on: the next call that needs it asks again.")
    case .lockedOut:
      return TokenCacheError(
        .authenticationLockedOut, "Face or finger are locked out after too many attempts.",
        recoverySuggestion: "The session goes on: unlock the device with its passcode, and call again.")
    case .notSetUp:
      return TokenCacheError(
        .authenticationNotSetUp,
        "The device cannot protect the refresh token: it has no passcode, or no face or finger that this app may use.",
        recoverySuggestion: "Let the user set one up in the system's settings and allow it for the app. What was "
          + "stored stays.")
    case .notAllowed:
      return TokenCacheError(
        .authenticationNotPossible,
        "The refresh token needs the user, who cannot be asked: the app is not active, or the device is locked.",
        recoverySuggestion: "Call again when the app is active. In extensions set `refreshesTokens` to `false`.",
        underlying: KeychainStatus.interactionNotAllowed)
    case .gone: status = .itemNotFound
    case .refused(let other): status = other
    }
    return status.error(code, action)
  }
}

/// The authentication of one refresh, which asks the user once at most, however often it reads.
///
/// The value is task-local, so that it reaches the keychain through every wrapper of a cache.
package final class RefreshAuthentication: Sendable {
  /// The authentication of the refresh under way.
  @TaskLocal package static var current: RefreshAuthentication?

  private struct State: Sendable {
    var authentication: (any KeychainAuthentication)?
    var hasEnded = false
  }

  private let state = Locked(State())

  package init() {}

  /// The authentication that the user was asked for, if that was so.
  var used: (any KeychainAuthentication)? { state.withLock { $0.authentication } }

  /// Returns the authentication; makes it for the first caller.
  func authentication(of items: any ProtectedKeychainItems) -> any KeychainAuthentication {
    state.withLock { state in
      if let made = state.authentication { return made }
      let new = items.authentication()
      if !state.hasEnded { state.authentication = new }
      return new
    }
  }

  /// Ends the authentication: the next refresh asks anew.
  package func end() {
    let used = state.withLock { state in
      defer { state.authentication = nil }
      state.hasEnded = true
      return state.authentication
    }
    used?.invalidate()
  }
}
