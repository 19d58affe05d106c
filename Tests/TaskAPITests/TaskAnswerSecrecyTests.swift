import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The parts of a refusal's body that an error shows; `PrintableTextTests` has the words that are and are not shown.
@Suite(.hangLimit) struct TaskAnswerSecrecyTests {
  private func error(_ body: String, headers: [String: String] = [:]) async throws -> ConnectorError {
    let transport = CannedTransport(.text(400, body, headers: headers))
    return try #require(
      await taskError { try await client(transport, tokens: CannedTokens("opaque")).add(TaskItem(itemName: "x")) })
  }

  @Test("Codes, words and ids are on one line and cut, and a page is not shown")
  func isShort() async throws {
    let long = String(repeating: "no, ", count: 100_000)
    let error = try await error(#"{"code":"\#(long)","message":"\#(long)"}"#, headers: ["Request-Id": long])
    #expect("\(error)".count < 700)
    let shown = try await self.error(#"{"code":"\#(long.prefix(900))","message":"\#(long.prefix(900))"}"#)
    #expect(shown.serverDescription?.count == 199 && shown.serverCode?.count == 99)
    #expect(try await self.error(#"{"message":"a\r\nb\u0000c\u202Ed\u2028"}"#).serverDescription == "a  b c d")
    #expect(!"\(try await self.error("<html>canary</html>"))".contains("canary"))
  }
}
