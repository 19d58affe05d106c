import B2CConnector
import B2CIDToken
import B2CTestKit
import Foundation

/// A random walk through a world: a number of steps, then a last look.
///
/// The steps are drawn at the start, each with a seed for its own choices, so that leaving one out changes nothing of
/// the others.
final class Walk {
  let world: World
  private let steps: [(step: Step, seed: UInt64)]
  private var draw: Draw

  /// Signing keys, made once, since RSA keys are slow to make.
  static let spareKeys = (0..<2).compactMap { _ in try? TestSigningKey() }

  init(_ world: World) {
    self.world = world
    var draw = Draw(seed: machine.draw.next())
    let share = draw.number(300...1000)
    var kinds: [Step] = []
    for step in Step.allCases where step.isEssential || draw.happens(share) {
      kinds += Array(repeating: step, count: step.weight)
    }
    steps = (0..<draw.number(10...40)).map { _ in (draw.one(of: kinds), draw.next()) }
    self.draw = draw
    world.ledger.plannedSteps = steps.count
  }

  /// Takes the steps, except those of the given numbers.
  func run(skipping: Set<Int>) throws {
    // Most worlds begin with a person who is signed in.
    if draw.happens(800), let app = anyApp() {
      world.wait(world.start(.signIn(), on: app, plan: plan(.completes)))
    }
    for (number, (step, seed)) in steps.enumerated() where !skipping.contains(number) {
      world.ledger.steps += 1
      draw = Draw(seed: seed)
      try take(step)
      // Often the next step falls between two jobs of a call: between an answer and its storing, for one.
      if draw.happens(300) {
        world.pass(jobs: draw.below(draw.one(of: [20, 300])), timeless: draw.happens(500))
      } else {
        world.pass(pause())
      }
    }
    try LastLook(world: world).look()
  }

  /// The time between two steps: often none, so that calls meet.
  private func pause() -> Duration {
    switch draw.below(10) {
    case 0...3: .zero
    case 4...5: .milliseconds(draw.below(300))
    case 6...7: .milliseconds(draw.below(10_000))
    case 8: .seconds(draw.below(600))
    default: .seconds(draw.below(4000))
    }
  }

  private func take(_ step: Step) throws {
    guard let app = anyApp() else { return }
    switch step {
    case .signIn: world.start(.signIn(), on: app, plan: signInPlan())
    case .signInNamed: world.start(.signIn(person: anyPerson().id), on: app, plan: signInPlan())
    case .signInInTwo: world.start(.signIn(inTwoCalls: true), on: app, plan: signInPlan())
    case .list: world.start(.list(), on: app)
    case .listOfPerson: world.start(.list(person: anyPerson().id), on: app)
    case .add: world.start(.add(title: "task\(world.ledger.calls)"), on: app)
    case .delete:
      guard !world.tasks.isEmpty else { return }
      let task = draw.one(of: world.tasks)
      world.tasks.removeAll { $0.item.id == task.item.id }
      world.start(.delete(task.item, owner: task.owner), on: app)
    case .data: world.start(.data(person: anybody()), on: app)
    case .userInfo: world.start(.userInfo(person: anybody()), on: app)
    case .user: world.start(.user(person: anyPerson().id), on: app)
    case .token: world.start(.token(), on: app)
    case .tokenWithClaims: world.start(.token(person: anybody(), claims: true), on: app)
    case .forceRefresh: world.start(.token(force: true), on: app)
    case .tokenOfPerson: world.start(.token(person: anyPerson().id), on: app)
    case .session: world.start(.session, on: app)
    case .users: world.start(.users, on: app)
    case .signOutAll: world.start(.signOut(), on: app)
    case .signOutOne: world.start(.signOut(person: anyPerson().id), on: app)
    case .signOutInBrowser:
      world.start(.signOut(person: anybody(), inBrowser: true), on: app, plan: plan(.completes))
    case .resetPassword:
      guard let policy = world.policy(.passwordReset) else { return }
      var plan = plan(.completes)
      plan.newPassword = newPassword()
      world.start(.resetPassword(policy), on: app, plan: plan)
    case .neighbour: app.process.neighbour?.act(&draw)
    case .editProfile:
      guard let policy = world.policy(.profileEdit) else { return }
      var plan = plan(nil)
      plan.newName = "Name-\(world.ledger.calls)"
      world.start(.editProfile(policy), on: app, plan: plan)
    case .cancel: if !world.calls.isEmpty { world.cancel(draw.one(of: world.calls)) }
    case .several:
      for app in world.liveApps where draw.happens(700) {
        world.start(.token(force: draw.happens(300)), on: app)
        if draw.happens(500) { world.start(.list(), on: app) }
      }
    default: try happen(step, app)
    }
  }

  private func happen(_ step: Step, _ app: App) throws {
    world.ledger.chaos[step.rawValue, default: 0] += 1
    world.note("\(step.rawValue) (\(app.name))")
    switch step {
    case .close: world.start(.close, on: app)
    case .closeTransport: try world.closeTransport(of: app)
    case .suspend: app.process.suspend()
    case .resume: for process in world.processes { process.resume() }
    case .kill where draw.happens(500), .losePower where draw.happens(500):
      let accesses = draw.below(world.store.kind.isFile ? 60 : 10)
      world.die(app.process, afterAccesses: accesses, ofPowerCut: step == .losePower)
    case .kill: try world.restart(app.process)
    case .losePower: try world.losePower()
    case .clockJump: world.clockOffset = Double(draw.number(-7200...7200))
    case .diskFull: world.store.trouble.isFull = true
    case .diskUnreachable: world.store.trouble.isUnreachable = true
    case .diskHiccup: world.store.hiccup(draw.number(1...4))
    case .diskPart:
      let person = draw.happens(700) ? anyPerson().id : nil
      var refusal = Refusal(kind: draw.one(of: Access.allCases), person: person, times: draw.one(of: [1, 2, 3, .max]))
      if draw.happens(300) { refusal.error = CancellationError() }
      world.store.trouble.refusals.append(refusal)
    case .diskWell: world.store.trouble = StoreTrouble()
    case .damage: world.damageRecord()
    case .revoke: world.revokeGrants(of: anyPerson())
    case .refuseRefresh: world.unwillingness = draw.one(of: [0, 300, 1000])
    case .refuseToken: world.watch.refuseTokens()
    case .refuseAll: world.watch.refusesAll.toggle()
    case .changeClaims:
      let (person, takesAway) = (anyPerson(), draw.happens(500))
      guard let index = world.tenant.users.firstIndex(where: { $0.id == person.id }) else { return }
      world.tenant.users[index].claims["jobTitle"] = takesAway ? nil : .string("Title-\(world.ledger.calls)")
    case .rollKeys:
      let keys = world.tenant.signingKeys
      let next = Self.spareKeys.first { spare in !keys.contains { $0.id == spare.id } }
      if let next { world.tenant.rotateKeys(to: next) }
    case .networkBad: world.weather = badWeather()
    case .networkGood: world.weather = Weather(slowness: world.shape.distance)
    default: world.pass(.seconds(draw.one(of: [65, 3000, 3600, 7200, 20_000])))
    }
  }

  private func badWeather() -> Weather {
    var shares: [Weather.Fault: Int] = [:]
    for fault in Weather.Fault.allCases where !fault.isOfScripts && draw.happens(400) {
      shares[fault] = draw.below([.unavailable, .throttled].contains(fault) ? 125 : 250)
    }
    return Weather(shares: shares, slowness: draw.one(of: [50, 2000, 8000]))
  }

  private func plan(_ outcome: PagePlan.Outcome?) -> PagePlan {
    var plan = PagePlan(person: anyPerson())
    plan.outcome = outcome ?? draw.one(of: [.completes, .completes, .completes, .completes, .cancels, .closes])
    plan.time = draw.below(draw.one(of: [100, 5000, 60_000]))
    return plan
  }

  private func anyApp() -> App? {
    let apps = world.liveApps
    return apps.isEmpty ? nil : draw.one(of: apps)
  }

  /// A plan for a page that may offer to reset a forgotten password.
  private func signInPlan() -> PagePlan {
    var plan = plan(nil)
    let mayForget = world.policy(.passwordReset) != nil && plan.outcome == .completes
    if mayForget, draw.happens(100) { (plan.outcome, plan.newPassword) = (.forgets, newPassword()) }
    return plan
  }

  /// A password that no text may show.
  private func newPassword() -> String {
    let password = "Not-A-Secret-Either-\(world.ledger.calls)"
    world.watch.note(secret: password)
    return password
  }

  /// A person, or nobody in particular.
  private func anybody() -> String? { draw.happens(500) ? anyPerson().id : nil }

  private func anyPerson() -> LocalUser { draw.one(of: world.people) }
}

/// The kinds of step of a random walk.
enum Step: String, CaseIterable {
  // What the app does.
  case signIn, list, listOfPerson, add, delete, token, forceRefresh, tokenOfPerson, session, users
  case tokenWithClaims, user, userInfo, data, signInNamed, signInInTwo, signOutAll, signOutOne, signOutInBrowser
  case editProfile, resetPassword, cancel, several, neighbour
  // What happens to the app.
  case close, closeTransport, suspend, resume, kill, losePower, clockJump
  // What happens to the store.
  case diskFull, diskUnreachable, diskHiccup, diskPart, diskWell, damage
  // What happens at the servers and on the way.
  case revoke, refuseRefresh, refuseToken, refuseAll, changeClaims, rollKeys, networkBad, networkGood
  // Time.
  case wait

  /// How often it is drawn, compared with the others.
  var weight: Int {
    switch self {
    case .signIn: 10
    case .list, .add, .token, .wait: 8
    case .cancel: 7
    case .delete, .forceRefresh, .tokenOfPerson, .several: 5
    case .resume, .diskWell, .networkGood, .networkBad: 4
    case .session, .listOfPerson: 3
    case .losePower, .damage, .clockJump, .rollKeys, .refuseAll: 1
    default: 2
    }
  }

  /// Steps that every walk may take; of the others each walk leaves some out.
  var isEssential: Bool { [.signIn, .list, .token, .wait, .resume, .diskWell, .networkGood].contains(self) }
}
