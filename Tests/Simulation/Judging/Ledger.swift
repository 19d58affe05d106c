/// The invariants, by the numbers of the README.
enum Invariant: String, CaseIterable {
  case refreshTokenOnce = "I1 a refresh token is used once"
  case mayRefresh = "I1 a connector that must not refresh does not"
  case agreement = "I1 nothing is sent before a person has agreed who is asked"
  case onePerson = "I2 one call, one person"
  case rightPerson = "I2 the person who is current, or was named"
  case namedUser = "I2 a sign-in that names a user lets no other one in"
  case neighbour = "I2 two authorities or clients over one cache do not see each other"
  case storedUnderOwner = "I2 stored under its owner"
  case signedOut = "I3 nothing is left, sent or brought back after a sign-out"
  case noDamage = "I3 a damaged record goes with a sign-in and a sign-out of all"
  case staysSignedIn = "I4 who is signed in can call"
  case newTokenIsStored = "I4 a new refresh token is stored, and on the device"
  case callsEnd = "I5 every call ends"
  case inTime = "I5 a cancelled call, a sign-out, a token and close() end in their time"
  case renewals = "I5 a token that has not expired is renewed once a minute, and not before the server wants it"
  case changesOnce = "I6 each change is on the server once, and its outcome as it was said"
  case failedSignIn = "I6 a sign-in that fails changes nothing"
  case failedSignOut = "I6 a sign-out that fails leaves signed in what it left, and says so"
  case sessionIsTrue = "I6 session agrees with the next call"
  case users = "I6 users are those that are signed in"
  case order = "I6 users come in the order of their sign-ins, the current one first"
  case claimsRequest = "I6 a token of a claims request comes of a refresh with the claims"
  case claimsAreTrue = "I6 claims are those of the server after a refresh"
  case refusedToken = "I6 a refused token is not sent again in the same call"
  case updates = "I7 sessionUpdates ends with session, without repeats"
  case secrets = "I8 no secret in any text"
  case released = "I9 a closed connector is released"
  case codes = "I10 an error has a cause"
}

/// What one run has shown: faults, how often each invariant was in danger, and what was excused.
final class Ledger {
  /// The first detail of each kind of fault.
  private(set) var faults: [String: String] = [:]
  private(set) var firstFault: String?
  private(set) var dangers: [Invariant: Int] = [:]
  private(set) var excused: [String: Int] = [:]
  var calls = 0
  var steps = 0
  var plannedSteps = 0
  /// What happened to apps, stores, servers and requests.
  var chaos: [String: Int] = [:]
  var onFault: (String, String) -> Void = { _, _ in }

  /// A fault: the kind begins with the invariant's number.
  func fault(_ kind: String, _ detail: String) {
    onFault(kind, detail)
    if faults.isEmpty { firstFault = kind }
    faults[kind] = faults[kind] ?? detail
  }

  /// An invariant was really tested.
  func tested(_ invariant: Invariant) { dangers[invariant, default: 0] += 1 }

  /// An invariant is tested, and it is a fault if it does not hold.
  func test(_ invariant: Invariant, _ holds: Bool, _ kind: String, _ detail: @autoclosure () -> String) {
    tested(invariant)
    if !holds { fault(kind, detail()) }
  }

  /// Something that no client can survive.
  func excuse(_ reason: String) { excused[reason, default: 0] += 1 }
}
