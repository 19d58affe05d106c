import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The tutorial's server as it is published limits requests, and answers 429 without Retry-After.
@Suite("A server that throttles", .timeLimit(.minutes(10)))
struct ConnectorThrottlingTests {
  @Test("Fifteen tasks added in a loop are all stored, each once")
  func loop() async throws {
    let world = World()
    let count = Locked(0)
    let third = LocalFaultTarget { request in
      count.withLock { count in
        count += 1
        return request.method == "POST" && count.isMultiple(of: 3)
      }
    }
    world.tasks.faults = [LocalFault(on: third, .respond(LocalResponse(status: 429)))]
    let connector = try world.connector()
    try await connector.doPolicy(.signIn)
    let names = (1...15).map { "Task \($0)" }
    for name in names { try await connector.addTask(TaskItem(itemName: name)) }
    #expect(try await connector.getTaskList().map(\.itemName) == names)
    let answers = world.network.requests.filter { $0.request.method == "POST" && $0.request.path == "/tasks" }
      .compactMap(\.response?.status)
    #expect(answers.contains(429) && answers.count { $0 == 201 } == 15)
  }
}
