import B2CCore
import B2CTestKit
import Foundation
import TaskAPI
import TestSupport
import Testing

/// The parts of a refusal's body that an error shows.
///
/// `SecrecySweepTests` and `SecrecyEchoTests` show that no token is.
@Suite(.hangLimit) struct TaskAnswerSecrecyTests {
  private func error(_ body: String, headers: [String: String] = [:]) async throws -> ConnectorError {
    let transport = CannedTransport(.text(400, body, headers: headers))
    return try #require(
      await taskError { try await client(transport, tokens: CannedTokens("opaque")).add(TaskItem(itemName: "x")) })
  }

  @Test(
    "Words that are no secret are shown",
    arguments: [
      "Task 564d9a1f6b3c2a0d00a1b2c3 of 6f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0 is locked",
      "/todoserver/tasks does not exist", #""Text" is a required parameter"#,
      "You have exceeded your request rate of 5 r/s.", "Grüße 日本語 🧑‍🧑‍🧒‍🧒",
    ])
  func showsTheRest(_ body: String) async throws {
    let answer = try JSONEncoder().encode(["message": body])
    #expect(try await error(String(decoding: answer, as: UTF8.self)).serverDescription == body)
  }

  @Test("Codes, words and ids are cut")
  func isShort() async throws {
    let long = String(repeating: "no, ", count: 100_000)
    let error = try await error(#"{"code":"\#(long)","message":"\#(long)"}"#, headers: ["Request-Id": long])
    #expect("\(error)".count < 700)
    let shown = try await self.error(#"{"code":"\#(long.prefix(900))","message":"\#(long.prefix(900))"}"#)
    #expect(shown.serverDescription?.count == 199 && shown.serverCode?.count == 99)
  }

  @Test("Words are on one line, and a page is not shown")
  func isOneLine() async throws {
    #expect(try await error(#"{"message":"a\r\nb\u0000c\u202Ed\u2028"}"#).serverDescription == "a  b c d")
    #expect(!"\(try await error("<html>canary</html>"))".contains("canary"))
  }
}
