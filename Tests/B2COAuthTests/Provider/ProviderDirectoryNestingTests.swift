import B2CCore
import B2CIDToken
import B2CHTTP
import Foundation
import TestSupport
import Testing

@testable import B2COAuth

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server must not be able to end the process by nesting (RFC 8259 section 9): 512 KiB is Apple's stack of a thread.
@Suite("Nested answers on a thread with a small stack", .hangLimit)
struct ProviderDirectoryNestingTests {
  struct Answer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Reads an answer with a nested value in it; whether it was accepted.
    let isRead: @Sendable (_ nested: String) -> Bool
  }

  static let answers = [
    Answer(testDescription: "metadata") {
      let text = #"{"issuer":"https://a.example","jwks_uri":"https://a.example/k","x":"# + $0 + "}"
      return (try? ProviderMetadata(json: Data(text.utf8), allowsHTTP: false)) != nil
    },
    Answer(testDescription: "token") {
      (try? TokenResponse(Data((#"{"access_token":"a","x":"# + $0 + "}").utf8), serverNow: Date())) != nil
    },
    Answer(testDescription: "error") {
      let body = Data((#"{"error":"invalid_grant","x":"# + $0 + "}").utf8)
      return HTTPURLResponse(url: URL(filePath: "/"), statusCode: 400, httpVersion: nil, headerFields: nil).flatMap {
        ErrorResponse(body, $0, to: .code, at: .b2c, hiding: []).error
      } != nil
    },
    Answer(testDescription: "device") {
      let text = #"{"device_code":"d","user_code":"u","verification_uri":"https://a.example","x":"# + $0 + "}"
      return (try? DeviceTicket(Data(text.utf8), from: URL(fileURLWithPath: "/devicecode"), now: Date())) != nil
    },
    Answer(testDescription: "keys") { (try? JWKSet(json: Data((#"{"keys":[],"x":"# + $0 + "}").utf8))) != nil },
  ]

  /// The object around the nested value counts as one level.
  @Test(
    "A value 31 deep is read, deeper ones are refused", arguments: answers,
    [(31, true), (32, false), (33, false), (500, false)])
  func depth(_ answer: Answer, expected: (depth: Int, isRead: Bool)) async {
    for (opening, closing) in [("[", "]"), (#"{"a":"#, "}")] {
      let nested =
        String(repeating: opening, count: expected.depth) + "1" + String(repeating: closing, count: expected.depth)
      let isRead = await withCheckedContinuation { continuation in
        let thread = Thread { continuation.resume(returning: answer.isRead(nested)) }
        thread.stackSize = 512 * 1_024
        thread.start()
      }
      #expect(isRead == expected.isRead, "\(opening) \(expected.depth)")
    }
  }

  @Test("An answer that names a key twice is refused", arguments: answers)
  func duplicateKey(_ answer: Answer) {
    #expect(answer.isRead("1"))
    #expect(!answer.isRead(#"1,"x":2"#))
  }
}
