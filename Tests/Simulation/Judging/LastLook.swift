import B2CConnector
import B2CTestKit
import Foundation

/// The end of each run: everything is well again, and what the invariants promise is tried.
struct LastLook {
  let world: World

  private var ledger: Ledger { world.ledger }

  func look() throws {
    heal()
    world.pass(.seconds(600))
    for call in world.calls where !call.app.process.isDead {
      ledger.fault("I5 a call never ended", call.name)
    }
    lookAtWhatWasTold()
    lookAtSessions()
    world.judgeWaiting()
    // Every access token has to be refreshed.
    world.pass(.seconds(7200))
    lookAtPeople()
    lookAtClaims()
    lookAtUpdates()
    Judge(world: world).judgeStore()
    lookAtMemory()
    if machine.foreignJobs > 0 { ledger.fault("simulation: jobs of other threads", "\(machine.foreignJobs)") }
  }

  private func heal() {
    world.note("all is well")
    world.weather = Weather(slowness: min(world.shape.distance, 100))
    world.nextFault = nil
    world.death = nil
    world.store.heal()
    world.watch.refusesAll = false
    world.unwillingness = 0
    for process in world.processes { process.resume() }
    for request in world.hanging { request.resume() }
    world.hanging = []
  }

  private func answer(_ action: Action, _ app: App) -> Call {
    let call = world.start(action, on: app)
    world.wait(call)
    return call
  }

  /// I6: `session` and the next call say the same; all connectors of a process agree.
  private func lookAtSessions() {
    for process in world.processes where !process.isDead {
      var found: Set<String> = []
      for app in process.apps where app.mayRefresh {
        let first = answer(.session, app)
        // A damaged record may be the latest, and stays where it is.
        if !first.succeeded, !world.store.isDamaged, case .person(let person) = process.presence.current,
          world.latestGrant(of: person)?.isGood == true
        {
          ledger.fault("I4 the session of a person who is signed in cannot be read", "\(app.name): \(first.summary)")
        }
        guard case .success(.session(let state)) = first.result else { continue }
        let next = answer(.token(), app)
        ledger.tested(.sessionIsTrue)
        guard case .success(.session(let after)) = answer(.session, app).result else { continue }
        switch (state, next.succeeded) {
        case (.signedIn, true), (.signedOut, false), (.expired, false): break
        // What only the provider knew is known now.
        case (.signedIn, false) where after.words != state.words: break
        default:
          ledger.fault(
            "I6 session does not agree with the next call", "\(app.name): \(state.words), then \(next.summary)")
        }
      }
      for app in process.apps {
        if case .success(.session(let state)) = answer(.session, app).result { found.insert(state.words) }
      }
      if process.apps.count > 1 { ledger.tested(.rightPerson) }
      if found.count > 1 {
        ledger.fault("I2 two connectors of a process disagree who is signed in", found.sorted().joined(separator: ", "))
      }
      if case .person(let person) = process.presence.current, let one = found.first, !one.hasSuffix(person.prefix(1)) {
        ledger.fault("I2 another person is current than the one who signed in last", "\(one), not \(person.prefix(1))")
      }
      if process.presence.current == .nobody, let one = found.first, one != "signedOut" {
        ledger.fault("I3 a person is signed in after the sign-out of all", one)
      }
    }
  }

  /// I4: who was signed in can call, with every connector and without a page.
  private func lookAtPeople() {
    for app in world.liveApps where app.mayRefresh {
      for grant in world.people.compactMap({ world.latestGrant(of: $0.id) })
      where grant.isGood && !world.isExpired(grant) {
        let call = answer(.token(person: grant.person), app)
        ledger.test(
          .staysSignedIn, call.succeeded || !grant.isGood, "I4 a person who was signed in cannot call",
          "\(call.name), grant \(grant.number): \(call.summary)")
      }
    }
  }

  /// I6: after a refresh claims are those that the provider has.
  private func lookAtClaims() {
    world.pass(.seconds(60))
    for app in world.liveApps where app.mayRefresh {
      guard case .success(.session(.signedIn(let user))) = answer(.session, app).result,
        let person = world.people.first(where: { $0.id == user.subject }),
        answer(.token(force: true), app).succeeded
      else { continue }
      world.pass(.seconds(60))
      guard case .success(.session(.signedIn(let found))) = answer(.session, app).result, found.subject == person.id
      else { continue }
      let truth = world.user(person)
      let title = found.claims["jobTitle"]
      ledger.test(
        .claimsAreTrue, title == truth.claims["jobTitle"], "I6 a claim that the provider changed or took away stays",
        "\(app.name): \(title?.string ?? "-")")
      if found.name != truth.displayName { ledger.fault("I6 an old name stays", app.name) }
    }
  }

  /// I7: who signed in or out last was told to every connector of the process, though nobody has read `session` since, and
  /// the store was in trouble meanwhile.
  ///
  /// Where another process may have been it, only a reading tells.
  private func lookAtWhatWasTold() {
    guard world.processes.count == 1 else { return }
    let expected: String
    switch world.processes[0].presence.current {
    case .person(let person): expected = String(person.prefix(1))
    case .nobody: expected = "signedOut"
    case .unknown: return
    }
    // After a launch nobody can be told while a record that may be the latest cannot be read.
    for app in world.processes[0].apps where !world.store.isDamaged || !app.states.isEmpty {
      let told = app.states.last.map(\.words) ?? "nothing"
      ledger.test(
        .updates, told.hasSuffix(expected), "I7 a connector was not told who is signed in",
        "\(app.name): \(told), not \(expected)")
    }
  }

  /// I7: the stream ends with the state that `session` has.
  private func lookAtUpdates() {
    for app in world.liveApps {
      guard case .success(.session(let state)) = answer(.session, app).result else { continue }
      world.pass(.seconds(5))
      let last = app.states.last?.words ?? "nothing"
      ledger.test(
        .updates, last == state.words, "I7 sessionUpdates ends with another state than session",
        "\(app.name): \(last), not \(state.words)")
      for (earlier, later) in zip(app.states, app.states.dropFirst()) where Essence(earlier) == Essence(later) {
        ledger.fault("I7 sessionUpdates repeats a state", "\(app.name): \(later.words)")
      }
    }
  }

  /// What an app sees of a session: kind, person and claims, without those of one token alone.
  private struct Essence: Equatable {
    private static let ofOneToken: Set<String> = [
      "iss", "aud", "exp", "nbf", "iat", "jti", "nonce", "at_hash", "c_hash", "auth_time", "acr", "amr", "azp", "sid",
      "aio", "rh", "uti", "ver",
    ]
    private let words: String
    private let claims: [String: JSONValue]

    init(_ state: SessionState) {
      words = state.words
      claims = state.user?.claims.filter { !Self.ofOneToken.contains($0.key) } ?? [:]
    }
  }

  /// I9: nothing of a connector is left after it was let go.
  private func lookAtMemory() {
    for call in world.calls { call.task?.cancel() }
    let released = release()
    world.pass(.seconds(300))
    for (name, isLeft) in released { ledger.test(.released, !isLeft(), "I9 a connector is not released", name) }
  }

  /// Lets go of every connector, and returns how to tell whether it is left.
  private func release() -> [(name: String, isLeft: () -> Bool)] {
    // Tasks of a dead process never end.
    let living = world.processes.filter { !$0.isDead }
    let apps = world.closedApps.filter { !$0.process.isDead } + living.flatMap(\.apps)
    world.closedApps = []
    for process in living { process.apps = [] }
    return apps.map { app in
      app.release()
      return (app.name, { [weak transport = app.transport] in transport != nil })
    }
  }
}
