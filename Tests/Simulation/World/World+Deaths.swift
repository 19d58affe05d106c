/// How processes of the device end, and connectors are replaced.
extension World {
  /// Kills a process and starts it again.
  func restart(_ process: AppProcess) throws {
    note("kill process \(process.number)")
    kill(process)
    guard let index = processes.firstIndex(where: { $0 === process }) else { return }
    // A store that cannot be opened at a launch is the app's to report; here the app starts a little later.
    let trouble = store.trouble
    store.heal()
    defer { store.trouble = trouble }
    let new = try AppProcess(process.number, self)
    new.presence.set(store.kind.isLasting ? presence.current : .nobody)
    if !store.kind.isLasting { presence.set(.nobody) }
    processes[index] = new
  }

  /// Kills a process, or cuts the power, at one of its next accesses to the store: before it, and after those before it.
  func die(_ process: AppProcess, afterAccesses accesses: Int, ofPowerCut isPowerCut: Bool) {
    note("process \(process.number) is to die\(isPowerCut ? ", of a power cut," : "") after \(accesses) accesses")
    death = Death(process: process, accesses: accesses, isPowerCut: isPowerCut)
  }

  func noteAccess(by process: AppProcess) {
    guard var death, death.process === process, death.victim == nil, !process.isDead else { return }
    defer { self.death = death }
    death.accesses -= 1
    guard death.accesses < 0 else { return }
    death.victim = process
    ledger.chaos[death.isPowerCut ? "losePower amid an access" : "kill amid an access", default: 0] += 1
    // What it does from here on has no effect; the rest is done when this job has ended.
    for one in death.isPowerCut ? processes : [process] { one.kill() }
  }

  func endDeath() {
    guard let death, let victim = death.victim else { return }
    self.death = nil
    do {
      if death.isPowerCut { try losePower(amidAccessOf: victim) } else { try restart(victim) }
    } catch {
      ledger.fault("simulation: a process does not start again", "\(error)")
    }
  }

  private func kill(_ process: AppProcess) {
    process.kill()
    let stored = storedRefreshTokens
    // A sign-in that is under way, in any process, may have replaced the session that was there.
    for new in calls.compactMap(\.grant) where new.isStored(in: stored) {
      for grant in watch.grants where grant !== new && grant.person == new.person { grant.isReplaced = true }
    }
    for call in calls where call.process === process {
      if call.action.changesPresence {
        // Nor can the other processes know how far it came.
        for one in processes { one.presence.forget() }
        presence.end(.unknown, begunAt: call.devicePresenceVersion)
      }
      call.grant?.leaveOpen("killed during its sign-in")
      for grant in watch.grants where call.action.signsOut(grant.person) {
        grant.leaveOpen("killed while signing out")
      }
    }
    calls.removeAll { $0.process === process }
    guard store.kind.isLasting else {
      for grant in watch.grants where grant.isSignedIn { grant.signOut(lastCall: callNumber) }
      return
    }
    // What only its memory held is gone.
    for grant in watch.grants where grant.isGood && !grant.isStored(in: stored) {
      guard let last = watch.exchanges.last(where: { $0.grant === grant && $0.process === process }),
        last.loss == nil, let brought = last.brought, grant.refreshTokens.contains(brought),
        !last.mayBeUnstored(by: process)
      else { continue }
      ledger.fault("I4 a new refresh token was in memory alone, though the store is well", "grant \(grant.number)")
    }
    lose(watch.exchanges.filter { $0.process === process }, notIn: stored, "killed before the new token was stored")
  }

  /// The device loses power: all processes end, what was not flushed may be lost.
  func losePower(amidAccessOf victim: AppProcess? = nil) throws {
    note("power lost")
    let before = processes
    for process in before { kill(process) }
    let stored = storedRefreshTokens
    let flushed = victim == nil ? stored : flushedRefreshTokens
    store.disk.losePower()
    judgeFlushed(stored, flushed, victim)
    for process in before { try restart(process) }
  }

  /// Closes a connector's transport and puts a new connector in its place.
  func closeTransport(of app: App) throws {
    note("close the transport of \(app.name)")
    app.transport.isClosed = true
    closedApps.append(app)
    guard let index = app.process.apps.firstIndex(where: { $0 === app }) else { return }
    app.process.apps[index] = try App(app.number, app.process, app.process.cache)
  }
}

struct Death {
  let process: AppProcess
  var accesses: Int
  let isPowerCut: Bool
  /// The process, once it has come to it.
  var victim: AppProcess?
}
