import B2CCore
import B2CTestKit
import Foundation
import TaskAPI
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.hangLimit) struct TaskAnswerSecrecyTests {
  static let jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlLWNhbmFyeQ"

  private func error(_ body: String, token: String = "opaque-token-1", headers: [String: String] = [:])
    async throws
    -> ConnectorError
  {
    let transport = CannedTransport(.text(400, body, headers: headers))
    return try #require(
      await taskError {
        try await client(transport, tokens: CannedTokens(token)).add(TaskItem(itemName: "x"))
      })
  }

  @Test(arguments: [
    "token: \(jwt)", "<p>Bearer \(jwt)</p>", "Authorization: Bearer short",
    #"{"access_token":"short"}"#, "refresh_token=short&x=1", #"{"id_token" : "short"}"#, "client_secret=short",
    "password: 'short'", "AQABAAIAAAAmoFfGtYxvRrNriQdPKIZ-short", "0123456789abcdef0123456789abcdef0123",
    "a/b/QWxhZGRpbjpvcGVuIHNlc2FtZQ1/short", "opaque", "opaque twice opaque",
    String(repeating: "x", count: 4090) + " opaque and more",
    #"{"code":"opaque","message":"Bearer opaque","request-id":"opaque"}"#,
  ])
  func hidesWhatLooksLikeAToken(_ body: String) async throws {
    let answer = try JSONEncoder().encode(["code": body, "message": body])
    let error = try await error(
      String(decoding: answer, as: UTF8.self), token: "opaque", headers: ["X-Request-Id": "opaque"])
    let shown = [error.serverCode, error.serverDescription, "\(error)"].compactMap { $0 }
    #expect(error.serverDescription != nil)
    for secret in ["opaque", "short", "eyJ", "0123456789abcdef0123", "QWxhZGRpbjpvcGVu"] {
      #expect(!shown.contains { $0.contains(secret) }, "\(shown)")
    }
    var dumped = ""
    dump(error, to: &dumped)
    #expect(!dumped.contains("opaque") && !dumped.contains("eyJ"))
  }

  @Test(arguments: [
    "Task 564d9a1f6b3c2a0d00a1b2c3 of 6f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0 is locked",
    "/todoserver/tasks does not exist",
    #""Text" is a required parameter"#, "You have exceeded your request rate of 5 r/s.", "Grüße 日本語 🧑‍🧑‍🧒‍🧒",
  ])
  func showsTheRest(_ body: String) async throws {
    let answer = try JSONEncoder().encode(["message": body])
    #expect(try await error(String(decoding: answer, as: UTF8.self)).serverDescription == body)
  }

  @Test func isShort() async throws {
    let long = String(repeating: "no, ", count: 100_000)
    let error = try await error(#"{"code":"\#(long)","message":"\#(long)"}"#, headers: ["Request-Id": long])
    #expect("\(error)".count < 700)
    let shown = try await self.error(#"{"code":"\#(long.prefix(900))","message":"\#(long.prefix(900))"}"#)
    #expect(shown.serverDescription?.count == 199 && shown.serverCode?.count == 99)
  }

  @Test func isOneLine() async throws {
    let error = try await error(#"{"message":"a\r\nb\u0000c\u202Ed\u2028"}"#)
    #expect(error.serverDescription == "a  b c d")
  }

  @Test func descriptionLeavesTheBodyOut() async throws {
    #expect(!"\(try await error("<html>canary</html>"))".contains("canary"))
  }
}
