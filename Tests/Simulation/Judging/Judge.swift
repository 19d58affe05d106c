import B2CConnector
import B2CTestKit
import Foundation

/// Judges a call right after it has ended, before anything else runs.
struct Judge {
  let world: World

  var ledger: Ledger { world.ledger }

  func judge(_ call: Call) {
    judgeTime(call)
    judgePeople(call)
    judgePresence(call)
    judgeChange(call)
    judgeAnswer(call)
    judgeError(call)
    if case .close = call.action { world.judgeClosing(call) }
    judgeStore()
  }

  // MARK: I5

  private func judgeTime(_ call: Call) {
    // A person may see three pages. A process that is suspended does nothing.
    let excused = UInt64(call.plan?.time ?? 0) * 3_000_000 + call.timeSuspended
    let time = call.endedAt - call.startedAt
    let seconds = Double(time - min(excused, time)) / 1e9
    ledger.test(.callsEnd, seconds <= 150, "I5 a call took too long", "\(call.name): \(Int(seconds)) s")
    // What a suspended process holds may be locked for half a minute.
    guard world.lastSuspension < call.startedAt, !world.processes.contains(where: \.isSuspended) else { return }
    func judge(_ limit: Double, _ what: String, _ seconds: Double) {
      ledger.test(.inTime, seconds <= limit, "I5 \(what)", "\(call.name): \(Int(seconds * 1000)) ms")
    }
    switch call.action {
    case .close: judge(65, "close() took longer than twice the limit of a request", seconds)
    case .signOut(_, false): judge(5, "a sign-out took longer than its 2 seconds at the provider", seconds)
    case .signOut: break
    default:
      if case .token = call.action { judge(75, "a token took longer than two requests", seconds) }
      guard let cancelled = call.cancelled, !call.succeeded else { return }
      judge(1, "a cancelled call went on", Double(call.endedAt - min(cancelled, call.endedAt)) / 1e9)
    }
  }

  // MARK: I2

  private func judgePeople(_ call: Call) {
    let people = Set(call.bearers.map(\.grant.person))
    if !people.isEmpty, world.watch.people.count > 1 { ledger.tested(.onePerson) }
    if people.count > 1 { ledger.fault("I2 one call with the tokens of two people", call.name) }
    if let person = call.action.person, !people.isSubset(of: [person]) {
      ledger.fault("I2 a call for another person than the one it names", call.name)
    }
    guard call.action.isForCurrent, call.isPresenceUnchanged else { return }
    var used = people
    if case .success(.token(let token)) = call.result, let grant = world.watch.ofAccessToken[token.token.value] {
      used.insert(grant.person)
    }
    if case (.userInfo, .success(.user(let user))) = (call.action, call.result) { used.insert(user.subject) }
    guard !used.isEmpty else { return }
    guard call.expected != .unknown else {
      if world.processes.count == 1, used.count == 1, let person = used.first {
        world.settle(.person(person), by: call)
      }
      return
    }
    ledger.test(
      .rightPerson, used.count == 1 && call.expected == used.first.map { Presence.Current.person($0) },
      "I2 a call for another person than the one who signed in last",
      "\(call.name): \(used.map { $0.prefix(1) }.sorted()) for \(call.expected)")
  }

  // MARK: Who is signed in now

  private func judgePresence(_ call: Call) {
    guard case .signIn = call.action else {
      if call.action.isSignOut { judgeSignOut(call) }
      return
    }
    judgeSignIn(call)
    guard call.succeeded, let grant = call.grant else { return end(call, call.expected, call.expectedOnDevice) }
    let isLast = isLast(grant)
    if !isLast { ledger.excuse("who is current: the process has not seen the last sign-in of another") }
    end(call, isLast ? .person(grant.person) : .unknown, isLast ? .person(grant.person) : .unknown)
    judgeDamage(call, "a sign-in")
  }

  /// Whether the sign-in of a grant is certainly placed after all others.
  ///
  /// A process places it after those that it has seen, and at the device's time; another process may have signed in later
  /// by a clock that was ahead, or in the same moment.
  private func isLast(_ grant: Grant) -> Bool {
    guard world.processes.count > 1 else { return true }
    let isAlone = world.watch.grants.allSatisfy {
      $0 === grant || !$0.isSignedIn || $0.signedInAt + 10_000_000 < grant.bornAt
    }
    return isAlone && !world.clockWentBack
  }

  /// A sign-in, and a sign-out of all, remove what no record can be read from.
  private func judgeDamage(_ call: Call, _ what: String) {
    guard world.store.kind == .file, call.troubles.isDisjoint(with: [.store, .cancelled, .damagedMeanwhile]),
      world.processes.count == 1 || world.calls.isEmpty
    else { return }
    if call.troubles.contains(.damage) { ledger.tested(.noDamage) }
    if world.store.isDamaged { ledger.fault("I3 a damaged record is left after " + what, call.name) }
  }

  /// A sign-in or sign-out has ended with a person who is current, here and on the device.
  private func end(_ call: Call, _ here: Presence.Current, _ onDevice: Presence.Current) {
    call.process.presence.end(here, begunAt: call.presenceVersion)
    world.presence.end(onDevice, begunAt: call.devicePresenceVersion)
    // Other processes see it when they read the session.
    for other in world.processes where other !== call.process { other.presence.forget() }
  }

  private func judgeSignIn(_ call: Call) {
    guard let grant = call.grant else { return }
    ledger.tested(.failedSignIn)
    guard call.succeeded else {
      let stored = world.store.records(inMemoryOf: world.processes).compactMap(\.record.refreshToken)
      guard stored.contains(where: { world.watch.grant(ofRefreshToken: $0.value) === grant }) else { return }
      let cancelled = call.troubles.contains(.cancelled) ? ", cancelled," : ""
      ledger.fault("I6 a sign-in that failed\(cancelled) has signed in", call.name)
      for one in world.watch.grants where one.person == grant.person {
        one.leaveOpen("a sign-in that failed has signed in")
      }
      return
    }
    grant.signIn(lastCall: world.callNumber)
    for other in world.watch.grants where other !== grant && other.person == grant.person && other.isSignedIn {
      other.isReplaced = true
      if other.signedInAt > call.startedAt { grant.leaveOpen("two sign-ins at once") }
    }
    // A sign-out that is under way may or may not reach it.
    if world.calls.contains(where: { $0.action.signsOut(grant.person) }) { grant.leaveOpen("signed out meanwhile") }
  }

  private func judgeSignOut(_ call: Call) {
    let person = call.action.person
    let grants = world.watch.grants.filter { person == nil || $0.person == person }
    // What keeps the page of the browser's sign-out from being shown comes after the tokens are gone.
    let isOfPage = call.action.isInBrowser && call.error.map { $0.code != .tokenCache } == true
    guard call.succeeded || isOfPage else { return judgeFailedSignOut(call, grants) }
    for grant in grants {
      if grant.isSignedIn(before: call) {
        grant.signOut(lastCall: world.callNumber)
      } else {
        grant.leaveOpen("signed out meanwhile")
      }
    }
    judgeFiles(grants)
    if person == nil { judgeDamage(call, "a sign-out of all") }
    end(call, current(after: call, call.expected), current(after: call, call.expectedOnDevice))
    ledger.tested(.signedOut)
  }

  /// A sign-out that was cancelled before it began has changed nothing; what one that the store has refused left is still
  /// signed in, and its error names it.
  private func judgeFailedSignOut(_ call: Call, _ grants: [Grant]) {
    let isAlone =
      call.isPresenceUnchanged && call.isDevicePresenceUnchanged
      && call.troubles.isDisjoint(with: [.damage, .damagedMeanwhile])
    let hasChangedNothing = call.error == nil && !call.action.isInBrowser
    let left = Set(world.store.records(inMemoryOf: world.processes).map(\.key.userID))
    func isLeft(_ person: String) -> Bool { left.contains(world.userID(of: person)) }
    func after(_ before: Presence.Current) -> Presence.Current {
      if hasChangedNothing { return before }
      if case .person(let person) = before, isLeft(person) { return before }
      return .unknown
    }
    defer { end(call, after(call.expected), after(call.expectedOnDevice)) }
    guard isAlone else { return grants.forEach { $0.leaveOpen("a sign-out that failed") } }
    let message = call.error?.message ?? ""
    if call.error == nil, call.troubles.contains(.removal) {
      ledger.fault("I6 a sign-out that the store has refused says that it was cancelled", call.name)
    }
    for grant in grants where grant.isGood && grant.isSignedIn(before: call) {
      ledger.tested(.failedSignOut)
      if hasChangedNothing {
        guard !isLeft(grant.person) else { continue }
        ledger.fault("I6 a sign-out that was cancelled has removed a session", "\(call.name), grant \(grant.number)")
      } else if !isLeft(grant.person) {
        // Removed, but perhaps not on the device.
        grant.leaveOpen("a sign-out that failed")
      } else if message.contains("Still signed in"), !message.contains(world.userID(of: grant.person).prefix(90)) {
        ledger.fault(
          "I6 a refused sign-out does not name who is still signed in", "\(call.name): \(message.prefix(200))")
      }
    }
  }

  /// No file holds a token after the sign-out, whatever else can be read in it.
  private func judgeFiles(_ grants: [Grant]) {
    guard world.store.kind == .file else { return }
    for file in world.store.disk.files.values where !file.isDirectory {
      let text = String(decoding: file.bytes, as: UTF8.self)
      for grant in grants where grant.isSignedOut && grant.refreshTokens.contains(where: text.contains) {
        ledger.fault("I3 a token is in a file after the sign-out", "grant \(grant.number)")
      }
    }
  }

  /// Who is current after a sign-out.
  private func current(after call: Call, _ before: Presence.Current) -> Presence.Current {
    guard let person = call.action.person else { return .nobody }
    // Who is current goes on being it when another person signs out.
    if case .person(let other) = before, other != person { return before }
    return before == .person(person) ? latest(without: person) : .unknown
  }

  /// Who signed in last of all but one, as far as the order of the sign-ins is certain.
  private func latest(without person: String) -> Presence.Current {
    let left = world.watch.grants.filter { $0.person != person && !$0.isSignedOut && !$0.isReplaced }
    guard left.allSatisfy({ $0.excuse == nil }) else { return .unknown }
    let signedIn = left.filter(\.isSignedIn)
    guard let last = signedIn.max(by: { $0.bornAt < $1.bornAt }) else { return .nobody }
    return isLast(last) && signedIn.allSatisfy { $0 === last || $0.isBefore(last) } ? .person(last.person) : .unknown
  }

  // MARK: I2 and I3, what is stored

  func judgeStore() {
    for (key, record) in world.store.records(inMemoryOf: world.processes) {
      var grants = record.accessTokens.compactMap { world.watch.ofAccessToken[$0.token.value] }
      if let grant = record.refreshToken.flatMap({ world.watch.grant(ofRefreshToken: $0.value) }) {
        grants.append(grant)
      }
      for grant in grants {
        ledger.test(
          .storedUnderOwner, key.userID == world.userID(of: grant.person),
          "I2 a token is stored under another owner", "grant \(grant.number)")
        if grant.isSignedOut, !grant.isReplaced {
          ledger.fault("I3 tokens are stored after the sign-out", "grant \(grant.number)")
        }
      }
    }
  }
}
