import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// A refused token is refreshed once, and an API that refuses all of them costs two refreshes.
@Suite("Tokens that the API refuses", .timeLimit(.minutes(10)))
struct ConnectorRefusedTokensTests {
  private static let refusal = TransportResponse(status: 401, headers: ["WWW-Authenticate": "Bearer"])

  @Test("Twenty calls against an API that refuses every token make two refreshes, and send no token twice in a call")
  func refusesAll() async throws {
    let world = World()
    let connector = try world.connector()
    try await connector.doPolicy(.signIn)
    world.tasks.faults = [LocalFault(.respond(Self.refusal))]
    for number in 0..<20 {
      let before = world.tasks.requests.count
      let error = try await #require(throws: ConnectorError.self) { try await connector.getTaskList() }
      #expect(error.code == .unauthorized)
      let tries = world.tasks.requests.count - before
      #expect(tries == (number < 2 ? 2 : 1))
      #expect(error.message.contains("new token") == (tries == 2), "\(error.message)")
    }
    #expect(world.tenant.counters.refreshes == 2)
  }

  @Test("A token that was accepted before it was refused is replaced each time")
  func acceptedBetween() async throws {
    let world = World()
    let connector = try world.connector()
    try await connector.doPolicy(.signIn)
    for number in 1...5 {
      _ = try await connector.getTaskList()
      world.tasks.faults = [LocalFault(times: 1, .respond(Self.refusal))]
      _ = try await connector.getTaskList()
      #expect(world.tenant.counters.refreshes == number)
    }
  }
}
