#if os(Linux)
  import B2CAuthority
  import B2CConnector
  import B2CSettings
  import B2CTestKit
  import B2CTokenCache
  import Foundation

  /// A provider, a task API, a device with its store, and the processes of an app on it.
  final class World: @unchecked Sendable {
    let shape: Shape
    let ledger = Ledger()
    let tenant: LocalTenant
    let server: LocalTaskServer
    let settings: ConnectorSettings
    let people: [LocalUser]
    let policies: [Policy]
    let store: Store
    private(set) lazy var watch = Watch(self)
    var processes: [AppProcess] = []
    /// Who is current on the device, whichever process signed in.
    var presence = Presence()
    /// Tasks of killed processes wait here for ever.
    var graveyard: [UnsafeContinuation<Void, Never>] = []
    var weather = Weather()
    /// When a request to the provider that took more than 5 seconds last ended, by the uptime.
    var lastSlowRequest: UInt64 = 0
    /// When a process was last suspended, or was until then.
    var lastSuspension: UInt64 = 0
    /// A fault for the next request that fits, in place of the weather's.
    var nextFault: (fits: @Sendable (TransportRequest) -> Bool, fault: Weather.Fault)?
    /// How far the device's clock is off, in seconds.
    var clockOffset: Double {
      didSet {
        lastClockChange = machine.uptime
        if clockOffset < oldValue { clockWentBack = true }
      }
    }
    /// When the device's clock last jumped, by the uptime.
    private(set) var lastClockChange: UInt64 = 0
    /// Whether it ever jumped back: a later sign-in may then have an earlier date.
    private(set) var clockWentBack = false
    /// When the store last refused something, by the uptime.
    private(set) var lastStoreFault: UInt64 = 0
    /// Whether a stored record was damaged, or the device lost power.
    var wasDamaged = false
    var onLine: ((String) -> Void)?
    private(set) var calls: [Call] = []
    /// When each call ended, by its number.
    private(set) var ends: [Int: UInt64] = [:]
    /// Calls that have ended and are not judged yet.
    var ended: [Call] = []
    /// The number of the newest call.
    private(set) var callNumber = 0
    /// Tasks that the server has for certain, with their owners.
    var tasks: [(item: TaskItem, owner: String)] = []
    /// Connectors whose transport was closed, and that others have replaced.
    private(set) var closedApps: [App] = []
    /// A kill or a power cut that is to fall between two accesses to the store.
    private var death: Death?

    init(_ shape: Shape) throws {
      self.shape = shape
      var behavior = LocalTenant.Behavior()
      behavior.rotatesRefreshTokens = shape.rotates
      behavior.refreshTokenReuse = shape.reuse
      let carol = LocalUser(
        id: "cccccccc-0000-4000-8000-000000000003", email: "carol@example.com", password: "Not-A-Secret-3",
        displayName: "Carol Example")
      var known = Array([LocalUser.alice, .bob, carol].prefix(shape.people))
      for index in known.indices { known[index].claims["jobTitle"] = .string("Title-0") }
      people = known
      tenant = LocalTenant(
        shape: shape.provider, users: known,
        accessTokenLifetime: .seconds(shape.accessLife), refreshTokenLifetime: .seconds(shape.refreshLife * 3600),
        behavior: behavior, now: { Date() })
      server = LocalTaskServer(tenant: tenant, dialect: .rest, listLimit: nil)
      settings = try tenant.settings(taskServer: server)
      policies = shape.isB2C ? try ["B2C_1_SignIn", "B2C_1_SignUpOrSignIn"].map { try Policy($0) } : []
      store = Store(shape.cache)
      store.table.slowness = shape.slowness
      store.keychain.isProtected = shape.isProtected
      clockOffset = Double(shape.clockSkew)
      weather.slowness = shape.distance
      for number in 1...shape.processes { processes.append(try AppProcess(number, self)) }
    }

    // MARK: What the parts ask for

    var deviceNow: Date { Date().addingTimeInterval(clockOffset) }

    func networkFault(for request: TransportRequest) -> Weather.Fault? {
      if let next = nextFault, next.fits(request) {
        nextFault = nil
        return next.fault
      }
      return weather.fault(&machine.draw)
    }

    func accountID(of person: String) -> String {
      shape.isMicrosoft ? "\(person).\(tenant.tenantID)" : "\(watch.issuer)#\(person)"
    }

    /// The person's account as the tenant has it now.
    func user(_ person: LocalUser) -> LocalUser { tenant.user(email: person.email) ?? person }

    func person(of plan: PagePlan) -> ScriptedPresenter {
      let network = LocalNetwork(tenant)
      switch plan.outcome {
      case .cancels: return ScriptedPresenter(transport: network, .cancel)
      case .closes: return ScriptedPresenter(transport: network, .closeBrowser)
      case .completes: break
      }
      if let newPassword = plan.newPassword {
        return ScriptedPresenter(
          transport: network, .resetPassword(email: plan.person.email, newPassword: newPassword))
      }
      let signIn = ScriptedPresenter.Action.signIn(user(plan.person))
      if let newName = plan.newName {
        return ScriptedPresenter(transport: network, signIn, .editProfile(displayName: newName))
      }
      return ScriptedPresenter(transport: network, signIn)
    }

    /// A new password ends what was granted with the old one, also when the person's app has left the page meanwhile.
    func notePassword(of plan: PagePlan) {
      guard let password = plan.newPassword, user(plan.person).password.value == password else { return }
      watch.end(grantsOf: plan.person.id, "a new password")
    }

    func noteReading(_ key: TokenCacheKey) { Call.current?.readAccounts.insert(key.accountID) }

    func noteListing() { Call.current?.readAccounts.insert("*") }

    func noteStoreFault(in process: AppProcess) {
      ledger.chaos["access to the store refused", default: 0] += 1
      lastStoreFault = machine.uptime
      process.noteStoreFault()
      noteRefusedCalls(of: process)
    }

    /// The person did not agree to the use of a refresh token: no matter of the store, and the calls under way may say so.
    func noteRefusal(in process: AppProcess) {
      ledger.chaos["question refused", default: 0] += 1
      noteRefusedCalls(of: process)
    }

    private func noteRefusedCalls(of process: AppProcess) {
      for call in calls where call.result == nil && call.app.process === process {
        call.note(.store)
        process.refusedCalls.insert(call.number)
      }
    }

    func note(_ line: String) {
      machine.mix(line)
      onLine?(line)
    }

    // MARK: Calls

    /// Starts a call; it runs beside everything else.
    @discardableResult
    func start(_ action: Action, on app: App, plan: PagePlan? = nil) -> Call {
      callNumber += 1
      let call = Call(callNumber, action, app, plan)
      let process = app.process
      call.expected = action.changesPresence ? process.presence.begin() : process.presence.current
      call.presenceVersion = process.presence.version
      call.expectedOnDevice = action.changesPresence ? presence.begin() : presence.current
      // What it does is seen by other processes before it has ended.
      if action.changesPresence { for other in processes where other !== process { other.presence.forget() } }
      call.devicePresenceVersion = presence.version
      if case .person(let person) = call.expected { call.expectedGrant = latestGrant(of: person) }
      calls.append(call)
      ledger.calls += 1
      note("start \(call.name)\(plan.map { " as \($0.person.displayName.prefix(5)) who \($0.outcome)" } ?? "")")
      call.task = Task.detached { [self] in
        await Call.$current.withValue(call) {
          do {
            guard let connector = app.connector else { throw CancellationError() }
            call.result = .success(try await action.perform(on: connector, self))
          } catch {
            call.result = .failure(error)
          }
        }
        call.endedAt = machine.uptime
        ends[call.number] = machine.uptime
        ended.append(call)
      }
      return call
    }

    func cancel(_ call: Call) {
      note("cancel \(call.name)")
      call.note(.cancelled)
      call.task?.cancel()
    }

    /// Lets a time pass, and judges each call as it ends.
    func pass(_ time: Duration) {
      let (seconds, rest) = time.components
      run(until: machine.uptime + UInt64(seconds) * 1_000_000_000 + UInt64(rest / 1_000_000_000))
    }

    /// Lets some jobs run, so that what comes next falls between two of a call; ten seconds pass at most.
    func pass(jobs: Int) {
      run(until: machine.uptime + 10_000_000_000, lastJob: machine.jobs + UInt64(jobs))
    }

    /// Waits for calls, for an hour at most.
    func wait(_ waited: Call...) {
      let end = machine.uptime + 3_600_000_000_000
      while waited.contains(where: { $0.result == nil && !$0.app.process.isDead }), machine.uptime < end {
        guard machine.run(until: end, { [self] in isInterrupted }) else { break }
        takeInterruption()
      }
    }

    private func run(until end: UInt64, lastJob: UInt64 = .max) {
      while machine.run(until: end, lastJob: lastJob, { [self] in isInterrupted }) { takeInterruption() }
    }

    private var isInterrupted: Bool { !ended.isEmpty || death?.victim != nil }

    private func takeInterruption() {
      endDeath()
      judgeEnded()
    }

    func judgeEnded() {
      while !ended.isEmpty {
        let call = ended.removeFirst()
        calls.removeAll { $0 === call }
        // A call of a dead process has nobody who hears of it.
        guard !call.app.process.isDead else { continue }
        note("ended \(call.name): \(call.summary)")
        Judge(world: self).judge(call)
      }
    }

    var liveApps: [App] {
      processes.filter { !$0.isDead }.flatMap(\.apps)
    }

    /// The newest grant of a person that is signed in and not signed out.
    func latestGrant(of person: String) -> Grant? {
      watch.grants.filter { $0.person == person && $0.isSignedIn && !$0.isSignedOut && !$0.isReplaced }
        .max { $0.signedInAt < $1.signedInAt }
    }

    // MARK: Processes

    /// Kills a process and starts it again.
    func restart(_ process: AppProcess) throws {
      note("kill process \(process.number)")
      kill(process)
      guard let index = processes.firstIndex(where: { $0 === process }) else { return }
      // A store that cannot be opened at a launch is the app's to report; here the app starts a little later.
      let trouble = store.trouble
      store.trouble = StoreTrouble()
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

    /// A planned death does not come any more.
    func forgetDeath() { death = nil }

    private func endDeath() {
      guard let death, let victim = death.victim else { return }
      self.death = nil
      do {
        if death.isPowerCut { try losePower(amidAccessOf: victim) } else { try restart(victim) }
      } catch {
        ledger.fault("simulation: a process does not start again", "\(error)")
      }
    }

    private struct Death {
      let process: AppProcess
      var accesses: Int
      let isPowerCut: Bool
      /// The process, once it has come to it.
      var victim: AppProcess?
    }

    private func kill(_ process: AppProcess) {
      process.kill()
      // A sign-in that is under way, in any process, may have replaced the session that was there.
      let signIns = calls.compactMap(\.grant)
      if !signIns.isEmpty {
        let stored = storedRefreshTokens
        for new in signIns where new.isStored(in: stored) {
          for grant in watch.grants where grant.isOfSameRecord(as: new) { grant.isReplaced = true }
        }
      }
      for call in calls where call.app.process === process {
        if call.action.changesPresence {
          // Nor can the other processes know how far it came.
          for one in processes { one.presence.forget() }
          presence.end(.unknown, begunAt: call.devicePresenceVersion)
        }
        call.grant?.leaveOpen("killed during its sign-in")
        // Its protected item may be the newest of the record that is there.
        if shape.isProtected, let new = call.grant {
          for grant in watch.grants where grant.isOfSameRecord(as: new) {
            grant.leaveOpen("killed during a sign-in, whose protected item stays")
          }
        }
        for grant in watch.grants where call.action.signsOut(grant.person) {
          grant.leaveOpen("killed while signing out")
        }
      }
      calls.removeAll { $0.app.process === process }
      guard store.kind.isLasting else {
        for grant in watch.grants where grant.isSignedIn { grant.signOut(lastCall: callNumber) }
        return
      }
      // What only its memory held is gone.
      let stored = storedRefreshTokens
      for grant in watch.grants where grant.isGood && !grant.isStored(in: stored) {
        guard let last = watch.exchanges.last(where: { $0.grant === grant && $0.process === process }),
          last.loss == nil, let brought = last.brought, grant.refreshTokens.contains(brought),
          !last.mayBeUnstored(by: process)
        else { continue }
        ledger.fault(
          "I4 a new refresh token was in memory alone, though the store is well", "grant \(grant.number)")
      }
      lose(watch.exchanges.filter { $0.process === process }, notIn: stored, "killed before the new token was stored")
    }

    /// The new refresh tokens of these exchanges are gone, back to one that is stored.
    private func lose(_ exchanges: [Exchange], notIn stored: Set<String>, _ reason: String) {
      var replaced: Set<String> = []
      for exchange in exchanges.reversed() {
        guard let brought = exchange.brought, !stored.contains(brought),
          exchange.grant.refreshTokens.contains(brought) || replaced.contains(brought)
        else { continue }
        exchange.lose(reason)
        replaced.insert(exchange.token)
      }
    }

    private var storedRefreshTokens: Set<String> {
      Set(store.records(inMemoryOf: processes).compactMap { $0.record.refreshToken?.value })
    }

    /// The device loses power: all processes end, what was not flushed may be lost.
    func losePower(amidAccessOf victim: AppProcess? = nil) throws {
      note("power lost")
      let before = processes
      for process in before { kill(process) }
      let stored = storedRefreshTokens
      let flushed = victim == nil ? stored : flushedRefreshTokens
      store.disk.losePower(&machine.draw)
      judgeFlushed(stored, flushed, victim)
      for process in before { try restart(process) }
    }

    private var flushedRefreshTokens: Set<String> {
      Set(store.records(inMemoryOf: [], onDevice: true).compactMap { $0.record.refreshToken?.value })
    }

    /// Judges that nothing waits in memory any more: the newest refresh token of each good grant is stored.
    func judgeWaiting() {
      guard store.kind.isLasting else { return }
      let stored = storedRefreshTokens
      // The token of a session that has come to its own end goes.
      for grant in watch.grants where grant.isGood && !Judge(world: self).isExpired(grant) {
        if lastStoreFault >= grant.bornAt { ledger.tested(.newTokenIsStored) }
        guard !grant.isStored(in: stored) else { continue }
        ledger.fault("I4 a new refresh token waits in memory though the store is well", "grant \(grant.number)")
      }
    }

    /// Judges that after `close()` what its connector has refreshed before is stored, by a store that refused nothing.
    func judgeClosing(_ call: Call) {
      guard call.succeeded, store.kind.isLasting, call.troubles.isDisjoint(with: [.store, .cancelled]),
        call.timeSuspended == 0
      else { return }
      let exchanges = watch.exchanges.filter {
        $0.process === call.app.process && $0.app == call.app.number && $0.at < call.startedAt && $0.loss == nil
      }
      guard !exchanges.isEmpty else { return }
      let stored = storedRefreshTokens
      for exchange in exchanges where exchange.grant.isGood {
        let person = exchange.grant.person
        guard !calls.contains(where: { $0.action.signsOut(person) }) else { continue }
        guard let brought = exchange.brought, exchange.grant.refreshTokens.contains(brought) else { continue }
        ledger.tested(.newTokenIsStored)
        guard !stored.contains(brought) else { continue }
        ledger.fault("I4 close() returned before a new refresh token was stored", "grant \(exchange.grant.number)")
      }
    }

    /// Judges that a power cut has taken no token that was on the device, or that was stored by a store without faults since
    /// it was issued and not amid its storing.
    private func judgeFlushed(_ before: Set<String>, _ flushed: Set<String>, _ victim: AppProcess?) {
      let stored = storedRefreshTokens
      for grant in watch.grants where grant.isGood && grant.isStored(in: before) {
        ledger.tested(.newTokenIsStored)
        guard !grant.isStored(in: stored) else { continue }
        let isAmid =
          victim != nil && !grant.isStored(in: flushed)
          && watch.exchanges.last { $0.grant === grant }?.process === victim
        guard isAmid || lastStoreFault >= grant.refreshedAt else {
          ledger.fault("I4 a power cut takes a token that was stored", "grant \(grant.number)")
          continue
        }
        let reason = isAmid ? "a power cut before the new token was stored" : "a power cut after trouble of the store"
        lose(watch.exchanges.filter { $0.grant === grant }, notIn: stored, reason)
        guard !grant.isStored(in: stored) else { continue }
        // Nothing of its session is left, so who is current depends on what else is stored.
        grant.lose(reason)
        if presence.mayBe(grant.person) { presence.forget() }
      }
    }

    /// Lets go of the connectors that were replaced.
    ///
    /// - Returns: Their names and transports.
    func releaseClosedApps() -> [(String, AppTransport)] {
      defer { closedApps = [] }
      // Tasks of a dead process never end.
      return closedApps.filter { !$0.process.isDead }.map { app in
        app.release()
        return (app.name, app.transport)
      }
    }

    /// Closes a connector's transport and puts a new connector in its place.
    func closeTransport(of app: App) throws {
      note("close the transport of \(app.name)")
      app.close()
      closedApps.append(app)
      try app.process.replace(app)
    }
  }
#endif
