import B2CConnector
import B2CTestKit
import Foundation

/// A provider, a task API, a device with its store, and the processes of an app on it.
final class World: @unchecked Sendable {
  let shape: Shape
  let ledger = Ledger()
  let tenant: LocalTenant
  let server: LocalTaskServer
  let settings: ConnectorSettings
  let people: [LocalUser]
  let store: Store
  private(set) lazy var watch = Watch(self)
  private(set) lazy var neighbours = Neighbour.tenant()
  var processes: [AppProcess] = []
  /// Who is current on the device, whichever process signed in.
  var presence = Presence()
  /// Tasks of killed processes wait here for ever.
  var graveyard: [UnsafeContinuation<Void, Never>] = []
  /// Requests that get no answer wait here until all is well.
  var hanging: [UnsafeContinuation<Void, Never>] = []
  var weather = Weather()
  /// How often, in a thousand, a person who is asked refuses a refresh.
  var unwillingness = 0
  /// When a request to the provider that took more than 5 seconds last ended, by the uptime.
  var lastSlowRequest: UInt64 = 0
  /// When a process was last suspended, or was until then.
  var lastSuspension: UInt64 = 0
  /// A fault for the next request whose path has an end, in place of the weather's.
  var nextFault: (end: String, fault: Weather.Fault)?
  /// How far the device's clock is off, in seconds.
  var clockOffset: Double {
    didSet {
      lastClockChange = machine.uptime
      if clockOffset < oldValue { clockWentBack = true }
    }
  }
  /// When the device's clock last jumped, by the uptime.
  private(set) var lastClockChange: UInt64 = 0
  /// Whether it ever jumped back: a process that has not seen the last sign-in of another one may then place its own
  /// before it.
  private(set) var clockWentBack = false
  /// The time at which the device's clock stands still.
  var stoppedClock: Date?
  /// When the store last refused something, by the uptime.
  private(set) var lastStoreFault: UInt64 = 0
  var onLine: ((String) -> Void)?
  var calls: [Call] = []
  /// When each call ended, by its number.
  private(set) var ends: [Int: UInt64] = [:]
  /// Calls that have ended and are not judged yet.
  var ended: [Call] = []
  /// The number of the newest call.
  private(set) var callNumber = 0
  /// Tasks that the server has for certain, with their owners.
  var tasks: [(item: TaskItem, owner: String)] = []
  /// Connectors whose transport was closed, and that others have replaced.
  var closedApps: [App] = []
  /// A kill or a power cut that is to fall between two accesses to the store.
  var death: Death?

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
    if shape.requiresFirst {
      // A refresh has no nonce, and its id_token need not say more than who it is (OpenID Connect Core 1.0 section 12.2).
      behavior.changeIDTokenClaims = { claims in
        claims["email_verified"] = claims["nonce"] == nil ? nil : .bool(true)
        guard claims["nonce"] == nil else { return }
        for name in ["emails", "email", "preferred_username"] { claims[name] = nil }
      }
    }
    tenant = LocalTenant(
      shape: shape.provider, users: known,
      accessTokenLifetime: .seconds(shape.accessLife), refreshTokenLifetime: .seconds(shape.refreshLife * 3600),
      behavior: behavior, now: { Date() })
    server = LocalTaskServer(tenant: tenant, dialect: .rest)
    var settings = try tenant.settings(taskServer: server)
    if shape.requiresFirst { settings.userID = known[0].email }
    self.settings = settings
    store = Store(shape.cache)
    store.table.slowness = shape.slowness
    clockOffset = Double(shape.clockSkew)
    weather.slowness = shape.distance
    for number in 1...shape.processes { processes.append(try AppProcess(number, self)) }
  }

  // MARK: What the parts ask for

  var deviceNow: Date { stoppedClock ?? Date().addingTimeInterval(clockOffset) }

  func networkFault(for request: URLRequest) -> Weather.Fault? {
    if let next = nextFault, request.url?.path.hasSuffix(next.end) == true {
      nextFault = nil
      return next.fault
    }
    return weather.fault()
  }

  func userID(of person: String) -> String {
    shape.provider == .openIDConnect ? "\(tenant.issuer)#\(person)" : "\(person).\(tenant.tenantID)"
  }

  func policy(_ kind: Policy.Kind) -> Policy? { settings.policies.policy(of: kind) }

  /// The person's user as the tenant has it now.
  func user(_ person: LocalUser) -> LocalUser { tenant.user(email: person.email) ?? person }

  /// The person at a page, by its number among those of the call.
  func person(of plan: PagePlan, at page: Int) -> ScriptedPresenter {
    var script = [ScriptedPresenter.Action.signIn(user(plan.person))]
    if let newName = plan.newName { script.append(.editProfile(displayName: newName)) }
    if let newPassword = plan.newPassword, plan.changesPassword(at: page) {
      script = [.resetPassword(email: plan.person.email, newPassword: newPassword)]
    }
    switch plan.outcome {
    case .cancels: script = [.cancel]
    case .closes: script = [.closeBrowser]
    case .forgets where page == 1: script = [.forgotPassword]
    case .completes, .breaks, .forgets: break
    }
    return ScriptedPresenter(transport: LocalNetwork(tenant), script)
  }

  func noteStoreFault(in process: AppProcess, _ kind: Access?) {
    ledger.chaos["access to the store refused", default: 0] += 1
    lastStoreFault = machine.uptime
    process.lastStoreFault = machine.uptime
    for call in calls where call.result == nil && call.process === process {
      call.note(.store)
      process.refusedCalls.insert(call.number)
    }
    guard kind == .removing else { return }
    // A block of a queue belongs to no call.
    let signOuts = calls.filter { $0.result == nil && $0.process === process && $0.action.isSignOut }
    (Call.current ?? (signOuts.count == 1 ? signOuts[0] : nil))?.note(.removal)
  }

  /// A call begins, or is under way, while a record is damaged.
  private func noteDamage(_ call: Call, _ trouble: Call.Trouble) {
    call.note(trouble)
    call.process.refusedCalls.insert(call.number)
  }

  /// A person sets a new password: the old sessions end, and other pages may have been told the old one.
  func notePassword(of person: String, by call: Call) {
    watch.end(grantsOf: person, "new password")
    for other in calls where other !== call && other.plan?.person.id == person { other.note(.password) }
  }

  /// The provider ends the sessions of a person.
  func revokeGrants(of person: LocalUser) {
    tenant.revokeGrants(of: person)
    watch.end(grantsOf: person.id, "revoked")
  }

  /// A medium damages a record: its owner has to sign in again, and nobody else becomes the current user meanwhile.
  func damageRecord(of person: LocalUser? = nil) {
    let lost = store.damageRecord(of: person?.id)
    guard !lost.isEmpty else { return }
    for call in calls { noteDamage(call, .damagedMeanwhile) }
    for (_, record) in lost {
      record.refreshToken.flatMap { watch.grant(ofRefreshToken: $0.value) }?.lose("a damaged record")
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
    if store.isDamaged { noteDamage(call, .damage) }
    for other in calls where other.plan?.person.id == plan?.person.id {
      guard let name = plan?.newName, let otherName = other.plan?.newName else { continue }
      call.otherNames.insert(otherName)
      other.otherNames.insert(name)
    }
    calls.append(call)
    ledger.calls += 1
    note("start \(call.name)\(plan.map { " as \($0.person.displayName.prefix(5)) who \($0.outcome)" } ?? "")")
    call.task = Task.detached { [self] in
      await Call.$current.withValue(call) {
        do {
          guard let connector = app.connector else { throw CancellationError() }
          call.result = .success(try await action.perform(on: connector, app))
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
    call.cancel()
  }

  /// Lets a time pass, and judges each call as it ends.
  func pass(_ time: Duration) {
    let (seconds, rest) = time.components
    run(until: machine.uptime + UInt64(seconds) * 1_000_000_000 + UInt64(rest / 1_000_000_000))
  }

  /// Lets some jobs run, so that what comes next falls between two of a call; ten seconds pass at most, or no time.
  func pass(jobs: Int, timeless: Bool = false) {
    run(until: machine.uptime + (timeless ? 0 : 10_000_000_000), lastJob: machine.jobs + UInt64(jobs))
  }

  /// Waits for calls, for an hour at most.
  func wait(_ waited: Call...) {
    let end = machine.uptime + 3_600_000_000_000
    while waited.contains(where: { $0.result == nil && !$0.process.isDead }), machine.uptime < end {
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
    while !ended.isEmpty {
      let call = ended.removeFirst()
      calls.removeAll { $0 === call }
      // A call of a dead process has nobody who hears of it.
      guard !call.process.isDead else { continue }
      note("ended \(call.name): \(call.summary)")
      Judge(world: self).judge(call)
    }
  }

  var liveApps: [App] { processes.filter { !$0.isDead }.flatMap(\.apps) }

  /// The newest grant of a person that is signed in and not signed out.
  func latestGrant(of person: String) -> Grant? {
    watch.grants.filter { $0.person == person && $0.isSignedIn && !$0.isSignedOut && !$0.isReplaced }
      .max { $0.signedInAt < $1.signedInAt }
  }
}
