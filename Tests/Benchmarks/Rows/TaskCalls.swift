import B2CConnector
import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport

extension Row {
  static let taskCall = Row(number: "5", title: "authorized getTaskList (20 tasks) over loopback") { context in
    let server = try ChildProcess("serve-tasks", ["20"])
    let url = try Scene.url("http://127.0.0.1:\(server.readLine())/tasks")
    var settings = try Scene.settings()
    settings.taskWebAPI = url
    let cache = try await Scene.memoryCache(users: 1)
    let connector = try Scene.connector(cache, transport: URLSessionTransport(), settings: settings)
    let plain = PlainCall(url: url, token: try await connector.accessToken().token.value)
    let pairs = try await Pairs.compare(context, batch: 0.05) { count in
      for _ in 0..<count { _ = try await plain.tasks() }
    } subject: { count in
      for _ in 0..<count { _ = try await connector.getTaskList() }
    }
    server.readToEnd()
    return [
      Measurement("call against URLSession and JSONDecoder", pairs, goal: 1.1),
      Measurement("call, time", pairs.subject.median * 1e6, "µs"),
      Measurement("plain call, time", pairs.baseline.median * 1e6, "µs"),
    ]
  }

  static let endurance = Row(
    number: "15", title: "memory and descriptors after 200,000 calls, 64 callers at the same time"
  ) { context in
    let server = try ChildProcess("serve-tasks", ["1"])
    let url = try Scene.url("http://127.0.0.1:\(server.readLine())/tasks")
    let transport = URLSessionTransport()
    let tokens = try Scene.connector(try await Scene.memoryCache(users: 1))
    let client = try TaskAPIClient(baseURL: url, transport: transport) { try await tokens.accessToken().token.value }
    // Until the pools of the allocator have their size: a plain session takes 330 bytes for each of the first 50,000 requests.
    let warmUp = context.options.isCheck ? 10_000 : 50_000
    _ = try await run(warmUp, client, for: .seconds(60))
    let (memory, descriptors) = (ResidentMemory.current, try openDescriptors())
    let start = ContinuousClock.now
    // A slow machine makes fewer calls, so that the row ends within five minutes.
    let calls = try await run(context.options.isCheck ? 20_000 : 150_000, client, for: .seconds(150))
    let seconds = start.duration(to: .now) / .seconds(1)
    let growth = ResidentMemory.current - memory
    var measurements = [
      Measurement(
        "memory after \(calls + warmUp) calls, more than after \(warmUp)", Double(growth) / 1_048_576, "MiB",
        goal: context.options.isCheck ? 24 : nil),
      // A connection may just be closing or opening.
      Measurement(
        "descriptors, more than after the first calls", Double(try openDescriptors() - descriptors), "descriptors",
        goal: 6),
      Measurement("calls in a second", Double(calls) / seconds, "calls"),
    ]
    if !context.options.isCheck {
      // In a process of its own, because it would fill the memory that the SDK's calls have freed here.
      let child = try ChildProcess("plain-requests", [url.absoluteString])
      let plain = try require(Double(child.readLine()), "the growth of a plain session")
      child.readToEnd()
      let kept = Double(growth) / Double(calls) - plain
      measurements += [
        Measurement("memory kept of each call, more than a plain URLSession keeps", kept, "bytes", goal: 16),
        Measurement("memory that a plain URLSession keeps of each request", plain, "bytes"),
      ]
    }
    server.readToEnd()
    return measurements
  }

  /// Makes so many calls, or as many as there is time for, and returns their number.
  private static func run(_ calls: Int, _ client: TaskAPIClient, for time: Duration) async throws -> Int {
    let left = Locked(calls)
    let end = ContinuousClock.now.advanced(by: time)
    try await simultaneously(64) { _ in
      while left.withLock({
        guard $0 > 0, .now < end else { return false }
        $0 -= 1
        return true
      }) {
        _ = try await client.list()
      }
    }
    return calls - left.withLock { $0 }
  }

  /// Prints how many bytes this process grows by with each request of a plain `URLSession`, which the SDK's calls use.
  static func plainRequests(_ arguments: [String]) async throws {
    let (url, calls) = (try Scene.url(arguments.first ?? ""), 50_000)
    let session = URLSession(configuration: .ephemeral)
    defer { session.finishTasksAndInvalidate() }
    var before = 0
    for count in [calls, calls] {
      before = ResidentMemory.current
      try await simultaneously(64) { _ in for _ in 0..<count / 64 { _ = try await session.data(from: url) } }
    }
    try Child.say("\(Double(ResidentMemory.current - before) / Double(calls / 64 * 64))")
  }

  private static func openDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count
  }
}

/// The call as an app would write it: an ephemeral session, a header, Foundation's decoder.
private struct PlainCall: Sendable {
  private struct Task: Decodable {
    let task: String
    let owner: String?
    let completed: Bool
    let date: Date?
  }

  let url: URL
  let token: String
  private let session = URLSession(configuration: .ephemeral)

  func tasks() async throws -> Int {
    var request = URLRequest(url: url)
    request.setValue("Bearer " + token, forHTTPHeaderField: "Authorization")
    let (data, _) = try await session.data(for: request)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode([Task].self, from: data).count
  }
}

/// A server of tasks in a process of its own: the same list for everybody, without a look at the token.
enum TaskListServer {
  static func run(_ arguments: [String]) async throws {
    let body = TaskLists.json(tasks: try require(arguments.first.flatMap { Int($0) }, "the number of tasks"))
    let response = LoopbackResponse(status: 200, headers: ["Content-Type": "application/json"], body: body)
    let listener = try await LoopbackListener { (_: LoopbackRequest) in response }
    try Child.say("\(listener.port)")
    // Until the parent is gone.
    while readLine() != nil {}
    await listener.close()
  }
}

/// Lists of tasks as the tutorial's servers write them.
enum TaskLists {
  static func json(tasks: Int) -> Data {
    let documents = (0..<tasks).map { number in
      """
      {"_id":"\(String(number, radix: 16))0123456789abcdef01234567","task":"Buy milk number \(number)","date":\
      "2026-01-02T03:04:05.\(100 + number % 900)Z","owner":"aaaaaaaa-0000-4000-8000-000000000001","completed":\
      \(number % 2 == 0),"__v":0,"priority":\(number % 5)}
      """
    }
    return Data(("[" + documents.joined(separator: ",") + "]").utf8)
  }
}
