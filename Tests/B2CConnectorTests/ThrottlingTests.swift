import B2CConnector
import B2CTestKit
import Foundation
import Testing

/// The tutorial's server as it is published: five requests a second, ten at once, 429 without Retry-After.
@Suite("A server that throttles")
struct ThrottlingTests {
  /// Short waits move the world's time on; longer ones are deadlines and end with what they guard.
  private struct HastyClock: Clock {
    let base: TestClock
    var now: TestClock.Instant { base.now }
    var minimumResolution: Duration { base.minimumResolution }

    func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
      let pause = base.now.duration(to: deadline)
      guard pause < .seconds(8) else { return try await base.sleep(until: deadline, tolerance: tolerance) }
      await base.advance(by: pause)
    }
  }

  @Test("Fifteen tasks added in a loop are all stored, each once")
  func loop() async throws {
    let world = World()
    world.tasks.rateLimit = .published
    let connector = try world.connector(waitingOn: HastyClock(base: world.clock))
    try await connector.doPolicy(.signIn)
    let names = (1...15).map { "Task \($0)" }
    for name in names { try await connector.addTask(TaskItem(itemName: name)) }
    #expect(try await connector.getTaskList().map(\.itemName) == names)
    let answers = world.network.requests.filter { $0.request.method == .post && $0.request.url.path == "/tasks" }
      .compactMap(\.response?.status)
    #expect(answers.contains(429) && answers.count { $0 == 201 } == 15)
  }
}
