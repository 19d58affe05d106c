import Foundation

/// What a soak run does, for how long; parent and workers agree on it.
struct SoakPlan: Sendable {
  static let processes = 4
  /// Users whom all processes act for.
  static let sharedUsers = 160
  /// Users of one process each, who sign in and out.
  static let ownUsers = 10
  static let users = sharedUsers + processes * ownUsers
  /// How long an access token lives; it is refreshed when half of that is left.
  static let tokenLifetime = 2.0
  /// Tasks at a time in a process.
  static let loops = 8
  /// Records that are only counted up.
  static let counters = 4
  /// Rounds of faults and quiet: faults come in the first part of a round.
  static let round = 60.0
  static let faultyPart = 40.0
  /// How long after a fault an error may still be its consequence: the deadline of a request, and a wait for a lock.
  static let aftermath = 12.0
  static let deadline = Duration.seconds(4)

  let seconds: Double

  init(_ options: ProofOptions) throws {
    // What --broken breaks shows at once.
    if options.isBroken {
      seconds = 12
      return
    }
    seconds = options.isQuick ? 120 : options.values.isEmpty ? 1_800 : Double(try options.number(0, "the seconds"))
  }

  static func email(_ user: Int) -> String { "user-\(user)@example.com" }
  static func id(_ user: Int) -> String { "dddddddd-0000-4000-8000-" + String(format: "%012d", user) }
  static func password(_ user: Int) -> String { "Not-A-Secret-\(user)" }
  /// Half of the users sign in by one policy, half by the other.
  static func policyID(_ user: Int) -> String { user.isMultiple(of: 2) ? "B2C_1_SignIn" : "B2C_1_SignUpOrSignIn" }
}
