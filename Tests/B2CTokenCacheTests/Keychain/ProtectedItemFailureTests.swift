import B2CTokenCache
import Testing

@Suite("Keychain, answers about protected items")
struct ProtectedItemFailureTests {
  static let rows: [(KeychainStatus, AuthenticationObstacle?, Bool, ProtectedItemFailure)] = [
    (.itemNotFound, nil, false, .gone), (.itemNotFound, .biometryLockout, true, .gone),
    (.undecodable, nil, false, .gone),
    (.userCanceled, nil, false, .cancelled), (.authenticationFailed, nil, false, .cancelled),
    (.authenticationFailed, nil, true, .cancelled),
    (.interactionNotAllowed, nil, false, .notAllowed), (.interactionNotAllowed, .passcodeNotSet, false, .notAllowed),
    (.authenticationFailed, .biometryLockout, true, .lockedOut), (.notAvailable, .biometryLockout, true, .lockedOut),
    (.authenticationFailed, .passcodeNotSet, false, .notSetUp), (.notAvailable, .passcodeNotSet, true, .notSetUp),
    (.authenticationFailed, .passcodeNotSet, true, .gone), (.authenticationFailed, .biometryNotEnrolled, true, .gone),
    (.authenticationFailed, .biometryNotAvailable, true, .notSetUp),
    (.missingEntitlement, nil, false, .refused(.missingEntitlement)),
    (.duplicateItem, .biometryLockout, true, .refused(.duplicateItem)),
  ]

  @Test("Only what can never be read again is gone; all else ends nothing", arguments: rows)
  func row(
    _ status: KeychainStatus, _ obstacle: AuthenticationObstacle?, _ isForEnrolment: Bool,
    _ expected: ProtectedItemFailure
  ) {
    #expect(ProtectedItemFailure(status, obstacle: obstacle, isForEnrolment: isForEnrolment) == expected)
  }
}
