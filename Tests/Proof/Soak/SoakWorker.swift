import B2CConnector
import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One of the processes of a soak run: calls, sign-ins and counts, until its time is over.
struct SoakWorker: ProofCommand {
  static let name = "soak-worker"
  static let summary = ""

  static func run(_ options: ProofOptions) async throws -> Bool {
    let number = try options.number(0, "the number of the process")
    let directory = URL(fileURLWithPath: try options.value(1, "the directory"), isDirectory: true)
    guard let tasks = URL(string: try options.value(3, "the task server")) else { throw ProofError("no task server") }
    let end = Date(timeIntervalSince1970: Double(try options.number(4, "the end")))
    let log = try SoakLog(file: directory.appendingPathComponent("log-\(number)"))
    let app = try SoakApp(
      directory: directory.appendingPathComponent("cache", isDirectory: true),
      tenant: try options.value(2, "the tenant"),
      tasks: tasks)
    let worker = Self(number: number, app: app, tasks: tasks, log: log, end: end)
    await withTaskGroup(of: Void.self) { group in
      for loop in 0..<SoakPlan.loops {
        group.addTask { await worker.callForOthers(seed: UInt64(number * 100 + loop)) }
      }
      group.addTask { await worker.signInAndOut() }
      group.addTask { await worker.sample() }
    }
    log.finish()
    return true
  }

  private let number: Int
  private let app: SoakApp
  private let tasks: URL
  private let log: SoakLog
  private let end: Date

  private init(number: Int, app: SoakApp, tasks: URL, log: SoakLog, end: Date) {
    self.number = number
    self.app = app
    self.tasks = tasks
    self.log = log
    self.end = end
  }

  private var isOver: Bool { Date() >= end }

  /// Calls for users whom the other processes act for too.
  private func callForOthers(seed: UInt64) async {
    var random = SplitMix64(seed: seed)
    while !isOver {
      let person = SoakApp.person(random.below(SoakPlan.sharedUsers))
      switch random.below(20) {
      case 0..<11:
        await log.count("token") {
          _ = try await app.connector.accessToken(user: person)
        }
      case 11..<17:
        await log.count("list") {
          let limits = TransportLimits(
            maximumBodyBytes: 256 << 10, deadline: SoakPlan.deadline, idleTimeout: SoakPlan.deadline)
          let (_, answer) = try await app.connector.data(for: URLRequest(url: tasks), user: person, limits: limits)
          guard answer.statusCode == 200 else { throw SoakStatus(status: answer.statusCode) }
        }
      case 17: await log.count("users") { _ = try await app.connector.users() }
      default:
        let key = ProofRecord.key("counter-\(random.below(SoakPlan.counters))")
        await log.count("counter") {
          try await app.cache.addOne(to: key, size: 500)
        }
      }
      try? await Task.sleep(for: .milliseconds(50 + random.below(300)))
    }
  }

  /// Users of this process come and go, by all policies.
  private func signInAndOut() async {
    var round = 0
    while !isOver {
      let user = SoakPlan.sharedUsers + number * SoakPlan.ownUsers + round % SoakPlan.ownUsers
      let person = SoakApp.person(user)
      round += 1
      guard await log.count("signIn", { try await app.signIn(user) }) else { continue }
      for _ in 0..<3 {
        await log.count("token") { _ = try await app.connector.accessToken(user: person) }
        try? await Task.sleep(for: .milliseconds(700))
      }
      if round.isMultiple(of: 3) {
        await log.count("signIn") {
          try await app.signIn(user, policy: Policy(id: "B2C_1_SignUpOrSignIn", kind: .signUpOrSignIn))
        }
      }
      await log.count("signOut") { try await app.connector.signOut(person) }
    }
  }

  private func sample() async {
    while !isOver {
      log.sample(memory: ResidentMemory.current, files: Self.openFiles)
      try? await Task.sleep(for: .seconds(1))
    }
  }

  /// How many descriptors are open; 0 where the system does not tell.
  private static var openFiles: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }
}

/// An answer of the task server that is not 200: `data(for:)` returns it as it is.
struct SoakStatus: Error {
  let status: Int
}

/// The app of a soak run: the same settings and limits in every process.
struct SoakApp: Sendable {
  let connector: Connector
  let cache: StoredTokenCache
  private let presenter: ForgetfulPresenter

  init(directory: URL, tenant: String, tasks: URL) throws {
    guard let redirectURI = URL(string: LocalTenant.standardRedirectURI) else { throw ProofError("no redirect URI") }
    let cache = try StoredTokenCache.process(at: directory)
    let presenter = ForgetfulPresenter()
    let settings = ConnectorSettings(
      authority: try Authority(tenant), clientID: LocalTenant.standardClientID,
      scopes: ["https://contoso.onmicrosoft.com/tasks/read"], redirectURI: redirectURI, taskWebAPI: tasks,
      policies: .init(emailSignIn: try Policy("B2C_1_SignIn")))
    var environment = Connector.Environment()
    environment.cache = cache
    environment.presenter = presenter
    connector = try Connector(settings: settings, environment: environment) {
      $0.limits = TransportLimits(
        maximumBodyBytes: 256 << 10, deadline: SoakPlan.deadline, idleTimeout: SoakPlan.deadline)
      $0.retry = RetryPolicy(maximumDelay: .milliseconds(400))
    }
    self.cache = cache
    self.presenter = presenter
  }

  /// Signs a user in; only one sign-in runs at a time in a process.
  func signIn(_ user: Int, policy: Policy? = nil) async throws {
    presenter.user = user
    var options = SignInOptions()
    // The browser's session of the last user would answer for this one.
    options.prefersEphemeralSession = true
    _ = try await connector.doPolicy(policy ?? Policy(SoakPlan.policyID(user)), options: options)
  }

  static func person(_ user: Int) -> UserInfo {
    UserInfo(id: SoakPlan.id(user) + ".22222222-2222-4222-8222-222222222222")
  }
}

/// Signs one user in after the other, with a scripted person for each: one person would remember every page of the run, and
/// the run measures what the SDK keeps.
private final class ForgetfulPresenter: SignInPresenter {
  private let transport = URLSessionTransport()
  private let next = Locked(0)

  /// Who signs in next.
  var user: Int {
    get { next.withLock { $0 } }
    set { next.withLock { $0 = newValue } }
  }

  func present(_ request: PresentationRequest) async throws -> URL {
    let user = user
    return try await ScriptedPresenter(
      transport: transport, .signIn(email: SoakPlan.email(user), password: SoakPlan.password(user))
    ).present(request)
  }
}

/// What a worker writes for its parent: a line for each error and each sample, and the counts at the end.
final class SoakLog: Sendable {
  /// How a call failed.
  struct Failure: Sendable {
    let time: Double
    let call: String
    let code: String
    let text: String
  }

  /// What one process had in use at a time.
  struct Sample: Sendable {
    let time: Double
    let memory: Int
    let files: Int
  }

  private let file: FileHandle
  private let counts = Locked<[String: Int]>([:])

  init(file url: URL) throws {
    _ = FileManager.default.createFile(atPath: url.path, contents: nil)
    file = try FileHandle(forWritingTo: url)
  }

  /// Makes a call and counts it, or writes down how it failed.
  @discardableResult
  func count(_ call: String, _ body: @Sendable () async throws -> Void) async -> Bool {
    let code: String
    let text: String
    do {
      try await body()
      counts.withLock { $0[call, default: 0] += 1 }
      return true
    } catch let error as ConnectorError {
      (code, text) = (error.code.rawValue, "\(error)")
    } catch let error as SoakStatus {
      (code, text) = ("status \(error.status)", "")
    } catch {
      (code, text) = ("untyped", "\(error)")
    }
    write(["E", "\(Date().timeIntervalSince1970)", call, code, text.replacingOccurrences(of: "\t", with: " ")])
    return false
  }

  func sample(memory: Int, files: Int) {
    write(["S", "\(Date().timeIntervalSince1970)", "\(memory)", "\(files)"])
  }

  /// Writes the counts of calls that returned.
  func finish() {
    for (call, count) in counts.withLock({ $0 }).sorted(by: { $0.key < $1.key }) { write(["C", call, "\(count)"]) }
  }

  private func write(_ fields: [String]) {
    let line = fields.joined(separator: "\t").replacingOccurrences(of: "\n", with: " ")
    // A line at a time, from whichever task.
    counts.withLock { _ in try? file.write(contentsOf: Data((line + "\n").utf8)) }
  }
}

extension SoakLog {
  /// What the logs of all processes say.
  struct Content: Sendable {
    var failures: [Failure] = []
    var samples: [[Sample]] = []
    var counts: [String: Int] = [:]

    /// Reads a log and adds it.
    mutating func add(_ url: URL) throws {
      var own: [Sample] = []
      for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        switch fields[0] {
        case "E" where fields.count == 5:
          failures.append(Failure(time: Double(fields[1]) ?? 0, call: fields[2], code: fields[3], text: fields[4]))
        case "S" where fields.count == 4:
          own.append(Sample(time: Double(fields[1]) ?? 0, memory: Int(fields[2]) ?? 0, files: Int(fields[3]) ?? 0))
        case "C" where fields.count == 3: counts[fields[1], default: 0] += Int(fields[2]) ?? 0
        default: throw ProofError("a line of a log cannot be read: \(line)")
        }
      }
      samples.append(own)
    }
  }
}
