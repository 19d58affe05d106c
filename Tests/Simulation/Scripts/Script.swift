import B2CConnector
import B2CTestKit
import Foundation

/// A few fixed steps in a fixed world, run under many schedules: the way to what happens rarely.
struct Script: Sendable {
  let name: String
  let shape: Shape
  let steps: @Sendable (Stage) throws -> Void

  init(_ name: String, _ shape: Shape = Shape(), _ steps: @escaping @Sendable (Stage) throws -> Void) {
    self.name = name
    self.shape = shape
    self.steps = steps
  }

  private static let known: [Script] =
    sharing + stores + people + directed + deaths + refusals + strangers + current + hanging + options

  /// The scripts whose names begin with one of several texts, or `all`; of the pairs only every fourth, if a quarter is
  /// named.
  static func named(_ names: String, quarter: Int?) -> [Script] {
    let some = pairs.enumerated().filter { pair in quarter.map { pair.offset % 4 == $0 } ?? true }.map(\.element)
    let beginnings = names.split(separator: ",")
    return (known + some).filter { script in names == "all" || beginnings.contains { script.name.hasPrefix($0) } }
  }
}

/// A world as a script sees it.
///
/// Connectors and processes are counted from 1.
struct Stage {
  let world: World

  var alice: LocalUser { world.people[0] }
  var bob: LocalUser { world.people[1] }

  // MARK: Calls

  func start(_ action: Action, on number: Int = 1, process: Int = 1, plan: PagePlan? = nil) -> Call {
    world.start(action, on: world.processes[process - 1].apps[number - 1], plan: plan)
  }

  /// Starts a call and waits for its end.
  @discardableResult
  func call(_ action: Action, on number: Int = 1, process: Int = 1, plan: PagePlan? = nil) -> Call {
    let call = start(action, on: number, process: process, plan: plan)
    world.wait(call)
    return call
  }

  func plan(_ person: LocalUser, _ outcome: PagePlan.Outcome = .completes) -> PagePlan {
    PagePlan(person: person, outcome: outcome, time: 500)
  }

  func startSignIn(_ person: LocalUser, on number: Int = 1) -> Call {
    start(.signIn(), on: number, plan: plan(person))
  }

  @discardableResult
  func signIn(_ person: LocalUser, on number: Int = 1, process: Int = 1) -> Call {
    call(.signIn(), on: number, process: process, plan: plan(person))
  }

  /// Alice signs in on the first connector, and seconds pass.
  func signInAlice(_ seconds: Int) {
    signIn(alice)
    pass(seconds)
  }

  /// Alice signs in, then Bob, who is current; half of the schedules go on when the access tokens have expired.
  func signInBoth() {
    signIn(alice)
    pass(60)
    signIn(bob)
    pass(machine.draw.one(of: [60, 7200]))
  }

  /// Edits the profile of a person, if there is a policy for it.
  func startEdit(of person: LocalUser, _ newName: String, on number: Int = 1) -> Call {
    guard let policy = world.policy(.profileEdit) else { return start(.session, on: number) }
    var plan = plan(person)
    plan.newName = newName
    return start(.editProfile(policy), on: number, plan: plan)
  }

  /// A call of one of the connectors that changes nothing of who is signed in, and a pause.
  func callAnything(process: Int = 1) {
    let number = machine.draw.number(1...world.shape.connectors)
    let title = "any-\(world.ledger.calls)"
    let actions: [Action] = [.add(title: title), .list(), .session, .users, .token(), .token(force: true)]
    call(machine.draw.one(of: actions), on: number, process: process)
    pass(machine.draw.one(of: [0, 1, 70]))
  }

  // MARK: Time

  /// A pause of random length, at most so many milliseconds: what differs between the schedules.
  func jitter(_ most: Int) { world.pass(.microseconds(machine.draw.below(most * 1000))) }

  func pass(_ seconds: Int) { world.pass(.seconds(seconds)) }

  // MARK: Trouble

  /// The disk is full when Alice's token has expired; the lock files of a file cache are there.
  func fillDisk() {
    signIn(alice)
    call(.token(force: true))
    pass(7200)
    world.store.trouble.isFull = true
  }

  /// Part of the store refuses, once, a few times or until it is healed, with the driver's own error or another.
  func refuse(_ kind: Access, of person: LocalUser? = nil) {
    var refusal = Refusal(kind: kind, person: person?.id, times: machine.draw.one(of: [1, 2, 3, .max, .max]))
    switch machine.draw.below(4) {
    case 0: refusal.error = ConnectorError(.tokenCache, "The simulated row is locked.", isRetryable: true)
    case 1: refusal.error = CancellationError()
    default: break
    }
    world.store.trouble.refusals.append(refusal)
  }

  func heal() { world.store.heal() }

  func restart() throws { try world.restart(world.processes[0]) }

  /// Something happens to the next request whose path has an end.
  func fail(_ end: String, by fault: Weather.Fault) { world.nextFault = (end, fault) }

  // MARK: Judgement

  /// Judges that a call succeeds, whatever hung before or was refused.
  func expectSuccess(_ call: Call) {
    world.ledger.test(
      .staysSignedIn, call.succeeded, "I4 what is over keeps a person from going on", "\(call.name): \(call.summary)")
  }

  /// Judges whom `session` names.
  func expectCurrent(_ person: LocalUser, on number: Int = 1, process: Int = 1) {
    let call = call(.session, on: number, process: process)
    var found: String?
    if case .success(.session(.signedIn(let user))) = call.result { found = user.subject }
    world.ledger.test(
      .rightPerson, found == person.id, "I2 session names another person than the one who signed in last",
      "\(call.name): \(call.summary)")
  }

  /// Judges the name in the stored record of a person; `nil` for a person without a record.
  func expect(_ name: String?, of person: LocalUser) {
    let id = world.userID(of: person.id)
    let record = world.store.records(inMemoryOf: world.processes).first { $0.key.userID == id }?.record
    world.ledger.test(
      .claimsAreTrue, record?.claims["name"]?.string == name,
      "I6 an edit is not laid over the record of the user who finished it", person.displayName)
  }
}
