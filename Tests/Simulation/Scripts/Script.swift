import B2CConnector
import B2CTestKit
import Foundation

/// A few fixed steps in a fixed world, run under many schedules: the way to what happens rarely.
struct Script: Sendable {
  let name: String
  /// What it looks for.
  let about: String
  let shape: Shape
  let steps: @Sendable (Stage) throws -> Void

  init(_ name: String, _ about: String, _ shape: Shape = Shape(), _ steps: @escaping @Sendable (Stage) throws -> Void) {
    self.name = name
    self.about = about
    self.shape = shape
    self.steps = steps
  }
}

/// A world as a script sees it.
struct Stage {
  let world: World

  var alice: LocalUser { world.people[0] }
  var bob: LocalUser { world.people[1] }

  func app(_ number: Int, process: Int = 1) -> App { world.processes[process - 1].apps[number - 1] }

  func plan(_ person: LocalUser) -> PagePlan {
    var plan = PagePlan(person: person)
    plan.time = 500
    return plan
  }

  /// Signs in and waits.
  @discardableResult
  func signIn(_ person: LocalUser, on app: App) -> Call {
    let call = startSignIn(person, on: app)
    world.wait(call)
    return call
  }

  /// Alice signs in on the first connector, and seconds pass.
  func signInAlice(_ seconds: Int) {
    signIn(alice, on: app(1))
    pass(seconds)
  }

  /// The disk is full when Alice's token has expired; the lock files of a file cache are there.
  func fillDisk() {
    signIn(alice, on: app(1))
    call(freshToken, on: app(1))
    pass(7200)
    world.store.trouble.isFull = true
  }

  func startSignIn(_ person: LocalUser, on app: App) -> Call {
    world.start(.signIn(), on: app, plan: plan(person))
  }

  func start(_ action: Action, on app: App) -> Call { world.start(action, on: app) }

  @discardableResult
  func call(_ action: Action, on app: App) -> Call {
    let call = world.start(action, on: app)
    world.wait(call)
    return call
  }

  var token: Action { .token(person: nil) }
  var freshToken: Action { .token(person: nil, force: true) }

  /// A pause of random length, at most so many milliseconds: what differs between the schedules.
  func jitter(_ most: Int) { world.pass(.microseconds(machine.draw.below(most * 1000))) }

  func pass(_ seconds: Int) { world.pass(.seconds(seconds)) }
}
