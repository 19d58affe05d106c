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
    "Words that are no secret are shown, on one line and cut to 200 characters",
    arguments: [
      "Task 564d9a1f6b3c2a0d00a1b2c3 of 6f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0 is locked",
      "/todoserver/tasks does not exist", #""Text" is a required parameter"#,
      "You have exceeded your request rate of 5 r/s.", "Grüße 日本語 🧑‍🧑‍🧒‍🧒",
    ].map { ($0, $0) } + [
      ("a\r\nb\0c\u{202E}d\u{2028}", "a  b c d"),
      (String(repeating: "no, ", count: 225), String(repeating: "no, ", count: 49) + "no,"),
    ])
  func words(_ says: String, _ shown: String) async throws {
    let answer = String(decoding: try JSONEncoder().encode(["message": says]), as: UTF8.self)
    #expect(try await error(answer).serverDescription == shown)
  }

  @Test("Codes, words and ids are cut, and a page is not shown")
  func isShort() async throws {
    let long = String(repeating: "no, ", count: 100_000)
    let error = try await error(#"{"code":"\#(long)","message":"\#(long)"}"#, headers: ["Request-Id": long])
    #expect("\(error)".count < 700)
    #expect(try await self.error(#"{"code":"\#(long.prefix(900))"}"#).serverCode?.count == 99)
    #expect(!"\(try await self.error("<html>canary</html>"))".contains("canary"))
  }
}
