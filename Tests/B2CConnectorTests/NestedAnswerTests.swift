import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Answers that name a key twice, or nest deeper than the strict reader reads (RFC 8259 section 9).
@Suite("Nested answers", .hangLimit)
struct NestedAnswerTests {
  enum Answer: CaseIterable { case metadata, keys, token, device, error }

  private struct Seen: Error {}

  /// Whether an answer is read that has some members more.
  private func isRead(_ answer: Answer, _ members: String) async throws -> Bool {
    let scene = Scene(shape: answer == .error ? .entra : .openIDConnect)
    let target: LocalFaultTarget =
      switch answer {
      case .metadata: .metadata
      case .keys: .keys
      case .token: .tokenCode
      case .device: .path("/device_authorization")
      case .error: .tokenRefresh
      }
    var read = ErrorCode.interactionRequired
    scene.tenant.faults = [
      LocalFault(
        on: target,
        .change { response in
          let refusal = #"{"error":"invalid_grant","suberror":"bad_token"}"#
          let text = answer == .error ? refusal : String(decoding: response.body, as: UTF8.self)
          response.body = Data(("{" + members + "," + text.dropFirst()).utf8)
          if answer == .error { response.status = 400 }
        })
    ]
    do {
      switch answer {
      case .metadata, .keys, .token: _ = try await scene.signedIn()
      case .device:
        read = .other
        try await scene.connector().signInWithDeviceCode { _ in throw Seen() }
      case .error: _ = try await scene.signedIn().accessToken(forceRefresh: true)
      }
      return true
    } catch let error as ConnectorError {
      #expect([read, .invalidResponse].contains(error.code), "\(error)")
      return error.code == read
    }
  }

  /// The object around the nested value counts as one level.
  @Test(
    "A value 31 deep is read, deeper ones are refused", arguments: Answer.allCases,
    [(31, true), (32, false), (33, false), (500, false)])
  func depth(_ answer: Answer, expected: (depth: Int, isRead: Bool)) async throws {
    for (opening, closing) in [("[", "]"), (#"{"a":"#, "}")] {
      let nested =
        String(repeating: opening, count: expected.depth) + "1" + String(repeating: closing, count: expected.depth)
      #expect(try await isRead(answer, #""x":"# + nested) == expected.isRead, "\(opening) \(expected.depth)")
    }
  }

  @Test("An answer that names a key twice is refused", arguments: Answer.allCases)
  func duplicateKey(_ answer: Answer) async throws {
    #expect(try await isRead(answer, #""x":1"#))
    #expect(try await !isRead(answer, #""x":1,"x":2"#))
  }
}
