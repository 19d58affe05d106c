import B2CConnector
import B2CTestKit
import Foundation

extension Judge {
  // MARK: I6

  func judgeChange(_ call: Call) {
    switch call.action {
    case .add(let title):
      noteDanger(of: call)
      let stored = world.server.tasks.filter { $0.text == title }
      switch call.result {
      case .success(.tasks(let tasks)):
        if stored.count != 1 {
          ledger.fault("I6 a task that was added is \(stored.count) times on the server", call.name)
        } else if let task = tasks.first, let owner = stored.first?.owner {
          world.tasks.append((task, owner))
          if call.bearers.last?.grant.person != owner {
            ledger.fault("I2 a task belongs to another person than its call", call.name)
          }
        }
      default:
        if stored.count > 1 { ledger.fault("I6 a task is stored twice", call.name) }
        guard let error = call.error, !error.outcomeIsUnknown, !stored.isEmpty else { return }
        ledger.fault("I6 stored, and outcomeIsUnknown is false (\(error.code.rawValue))", call.name)
      }
    case .delete(let task, let owner):
      noteDanger(of: call)
      guard world.server.tasks.contains(where: { $0.id == task.id }) else {
        world.tasks.removeAll { $0.item.id == task.id }
        guard let error = call.error, !error.outcomeIsUnknown, call.bearers.last?.grant.person == owner else { return }
        return ledger.fault("I6 deleted, and outcomeIsUnknown is false (\(error.code.rawValue))", call.name)
      }
      if call.succeeded, call.bearers.last?.grant.person == owner {
        ledger.fault("I6 a task that was deleted is there", call.name)
      }
    default: break
    }
  }

  /// Notes whether a change could have come out otherwise than it was said, and judges that what certainly never reached
  /// the server is not said to be unknown.
  private func noteDanger(of call: Call) {
    let met = call.app.transport.met.filter { $0.target == .taskAPI && $0.call == call.number }
    let isCalm = call.troubles.isDisjoint(with: [.cancelled, .closed, .refused])
    if !met.isEmpty || !isCalm { ledger.tested(.changesOnce) }
    guard isCalm, let error = call.error, error.outcomeIsUnknown else { return }
    if met.allSatisfy({ [.refused, .throttled].contains($0.fault) }) {
      ledger.fault("I6 never sent, and outcomeIsUnknown is true (\(error.code.rawValue))", call.name)
    }
  }

  // MARK: I2, I6: what came back

  func judgeAnswer(_ call: Call) {
    func test(_ invariant: Invariant, _ holds: Bool, _ kind: String) {
      ledger.test(invariant, holds, kind, call.name)
    }
    switch (call.action, call.result) {
    case (.signIn, .success(.user(let user))):
      guard let grant = call.grant else { return ledger.fault("I2 a sign-in without a grant", call.name) }
      let isRight = user.subject == grant.person && user.subject == call.plan?.person.id
      test(.rightPerson, isRight, "I2 a sign-in returns another person")
      if isOfAnother(call) { ledger.fault("I2 another person signs in than the one who has to", call.name) }
    case (.editProfile, .success(.user(let user))):
      test(.rightPerson, user.subject == call.plan?.person.id, "I2 an edit returns another person")
      if user.name != call.plan?.newName, !call.otherNames.contains(user.name ?? "") {
        ledger.fault("I6 an edit returns an old name", call.name)
      }
    case (.resetPassword, .success(.user(let user))):
      test(.rightPerson, user.subject == call.plan?.person.id, "I2 a reset returns another person")
    case (.userInfo(let person?), .success(.user(let user))):
      test(.rightPerson, user.subject == person, "I2 the claims of another person")
    case (.list, .success(.tasks(let tasks))):
      let owners = Set(world.server.tasks.filter { task in tasks.contains { $0.id == task.id } }.map(\.owner))
      if world.watch.people.count > 1 { ledger.tested(.onePerson) }
      if owners.count > 1 || owners.first.map({ $0 != call.bearers.last?.grant.person }) == true {
        ledger.fault("I2 a list shows the tasks of another person", call.name)
      }
    case (.token(let person, _, let claims), .success(.token(let token))):
      guard let grant = world.watch.ofAccessToken[token.token.value] else {
        return ledger.fault("I2 an access token that was never issued", call.name)
      }
      if grant.isSignedOut, call.number > grant.lastCall {
        ledger.fault("I3 a call that began after the sign-out returns a token", call.name)
      }
      if let person { test(.rightPerson, grant.person == person, "I2 the access token of another person") }
      guard claims else { return }
      let hasClaims = world.watch.tokensWithClaims.contains(token.token.value)
      test(.claimsRequest, hasClaims, "I6 a token of a request without the claims that were asked for")
    case (.session, .success(.session(let state))): judgeSession(state, call)
    case (.users, .success(.users(let users))):
      let ids = Set(users.map(\.id))
      if ids.count < users.count { ledger.fault("I2 a user is listed twice", call.name) }
      judgeList(ids, of: world.watch.people, call)
      judgeOrder(users.map(\.id), call)
    case (.user(let person), .success(.users(let users))): judgeList(Set(users.map(\.id)), of: [person], call)
    default: break
    }
  }

  /// Who is signed in is listed, and who has signed out is not.
  private func judgeList(_ ids: Set<String>, of people: Set<String>, _ call: Call) {
    if !ids.isSubset(of: people.map(world.userID(of:))) {
      ledger.fault("I2 a user who is none of this app", call.name)
    }
    guard call.troubles.isDisjoint(with: [.store, .damage, .damagedMeanwhile]), !world.isPresenceChanging
    else { return }
    for person in people {
      let all = world.watch.grants.filter { $0.person == person }
      let grants = all.filter(\.isSignedIn)
      let isListed = ids.contains(world.userID(of: person))
      if grants.contains(where: { $0.isGood && $0.isSignedIn(before: call) }) {
        ledger.test(.users, isListed, "I6 a user who is signed in is not listed", call.name)
      } else if isListed, !grants.isEmpty, all.allSatisfy({ $0.isSignedIn || $0.excuse == nil }),
        grants.allSatisfy({ $0.isSignedOut && $0.excuse == nil && call.number > $0.lastCall })
      {
        ledger.test(.users, false, "I3 a user is listed after its sign-out", call.name)
      }
    }
  }

  /// The current user comes first, then the others, the latest sign-in first.
  private func judgeOrder(_ ids: [String], _ call: Call) {
    guard call.isDevicePresenceUnchanged, !world.presence.isChanging,
      world.processes.count == 1 || !world.clockWentBack
    else { return }
    func place(_ person: String) -> Int? { ids.firstIndex(of: world.userID(of: person)) }
    if case .person(let person) = call.expectedOnDevice, call.process.presence.current == call.expectedOnDevice,
      let place = place(person)
    {
      ledger.test(.order, place == 0, "I6 users does not begin with the one who signed in last", call.name)
    }
    let grants = world.watch.grants.filter { $0.isGood && $0.isSignedIn(before: call) }
    for earlier in grants {
      for later in grants where earlier.isBefore(later) {
        guard let first = place(earlier.person), let second = place(later.person) else { continue }
        ledger.test(.order, first >= second, "I6 users are not in the order of their sign-ins", call.name)
      }
    }
  }

  /// The person whom `session` names is the one who signed in last, in this process or in another.
  private func judgeSession(_ state: SessionState, _ call: Call) {
    guard call.isDevicePresenceUnchanged else { return }
    let found = state.user.map { Presence.Current.person($0.subject) } ?? .nobody
    guard call.expectedOnDevice != .unknown else { return world.settle(found, by: call) }
    ledger.test(
      .rightPerson, found == call.expectedOnDevice,
      "I2 session shows another person than the one who signed in last",
      "\(call.name): \(call.summary), not \(call.expectedOnDevice)")
    if found == call.expectedOnDevice, call.process.presence.current == .unknown { call.process.presence.set(found) }
  }

  // MARK: I10, I8 and I4: errors

  func judgeError(_ call: Call) {
    guard case .failure(let error) = call.result else { return }
    ledger.tested(.codes)
    if error is CancellationError {
      if !call.troubles.contains(.cancelled), call.app.connector != nil {
        ledger.fault("I10 a call that nobody cancelled ends in CancellationError", call.name)
      }
      return
    }
    guard let error = error as? ConnectorError else {
      return ledger.fault("I10 \(type(of: error)) instead of ConnectorError", call.name)
    }
    if error.code == .wrongUser, isOfAnother(call) { return }
    if error.code == .refreshNotAllowed, !call.app.mayRefresh { return }
    // Who says no before a refresh says it to every call that waits.
    if error.code == .userCancelled, call.process.refusals.contains(where: { $0 >= call.startedAt }) { return }
    // Between two calls the app has to know what follows.
    if error.code == .passwordResetRequested, case .signIn(_, true) = call.action, call.plan?.outcome == .forgets {
      return
    }
    world.judgeText("\(error) \(error.message) \(String(reflecting: error)) \(error.localizedDescription)")
    if error.code == .interactionRequired, mayNeedInteraction(error, call) { return }
    guard Calm(world: world, call: call).isCalm else { return }
    ledger.fault(
      "I10 \(error.code.rawValue), though nothing was in the way", "\(call.name): \(error.description.prefix(160))")
  }

  /// Whether the settings or the call want another person than the one at the page.
  private func isOfAnother(_ call: Call) -> Bool {
    guard let person = call.plan?.person.id, !call.action.isSignOut else { return false }
    if case .signIn(let named?, _) = call.action {
      ledger.tested(.namedUser)
      if named != person { return true }
    }
    return world.shape.requiresFirst && person != world.people[0].id
  }

  /// Whether a page is really needed: nobody is signed in for certain, or the provider has ended the session.
  private func mayNeedInteraction(_ error: ConnectorError, _ call: Call) -> Bool {
    // The code lives for ten minutes, and the process was suspended for about as long.
    let isCodeOver = call.timeSuspended >= 580_000_000_000
    let person: String
    switch (call.action, call.expected) {
    case (.editProfile, _) where isCodeOver, (.resetPassword, _) where isCodeOver: return true
    case (.signIn, _): return isCodeOver
    case (.session, _), (.users, _), (.user, _), (.signOut, _): return false
    case (let action, _) where action.person != nil: person = action.person ?? ""
    case (_, .person(let current)) where call.isPresenceUnchanged: person = current
    default: return mayNobodyBeGood(call)
    }
    guard let grant = world.latestGrant(of: person), grant.isGood, !world.isExpired(grant),
      grant.isSignedIn(before: call), !world.calls.contains(where: { $0.action.signsOut(person) })
    else { return true }
    ledger.fault(
      "I4 a person who is signed in has to sign in again",
      "\(call.name), grant \(grant.number): \(error.message.prefix(80))")
    return true
  }

  /// Whether a call of a person who is not known may need a page: one who may be current has no good session.
  private func mayNobodyBeGood(_ call: Call) -> Bool {
    guard call.action.isForCurrent, call.isDevicePresenceUnchanged, !world.isPresenceChanging else { return true }
    let people = Set(world.watch.grants.filter { !$0.isSignedOut }.map(\.person))
    let areGood = people.allSatisfy { person in
      world.watch.grants.allSatisfy { $0.person != person || $0.isSignedOut || $0.isReplaced || $0.isSignedIn }
        && world.latestGrant(of: person).map { $0.isGood && !world.isExpired($0) && $0.isSignedIn(before: call) }
          == true
    }
    guard !people.isEmpty, areGood else { return true }
    ledger.fault("I4 a page is asked for, though all who signed in have good sessions", call.name)
    return true
  }
}

extension World {
  /// Whether a call is under way that changes who is signed in.
  var isPresenceChanging: Bool { calls.contains { $0.action.changesPresence } }

  /// Whether the provider may have forgotten a grant by its age.
  func isExpired(_ grant: Grant) -> Bool {
    machine.uptime - grant.refreshedAt > UInt64(shape.refreshLife) * 3_600_000_000_000 - 7_200_000_000_000
  }

  /// Who is current was not certain, and a call has shown it: from here on only a sign-in or a sign-out changes it.
  func settle(_ found: Presence.Current, by call: Call) {
    guard call.isDevicePresenceUnchanged, !presence.isChanging, presence.current == .unknown else { return }
    presence.set(found)
    call.process.presence.set(found)
  }

  /// Looks for tokens, codes and passwords in a text that leaves the library.
  func judgeText(_ text: String) {
    ledger.tested(.secrets)
    for part in text.utf8.split(whereSeparator: { !Self.isPartOfToken($0) }) where part.count >= 20 {
      var word = String(decoding: part, as: UTF8.self)
      while word.hasSuffix(".") { word.removeLast() }
      if watch.secrets.contains(word) { ledger.fault("I8 a secret in a text", "of \(text.utf8.count) bytes") }
    }
  }

  /// Whether it is an ASCII letter or digit, `-`, `.` or `_`.
  private static func isPartOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122, 45, 46, 95: true
    default: false
    }
  }
}
