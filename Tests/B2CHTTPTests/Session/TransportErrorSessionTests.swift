import B2CCore
import Foundation
import Testing

@testable import B2CHTTP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Errors of the system's URL loading")
struct TransportErrorSessionTests {
  struct Row: Sendable {
    let code: URLError.Code
    let means: TransportError.Code
    let words: String
    let suggestion: String?

    init(
      _ code: URLError.Code, _ means: TransportError.Code, _ words: String,
      _ suggestion: String? = nil
    ) {
      self.code = code
      self.means = means
      self.words = words
      self.suggestion = suggestion
    }
  }

  static let rows = [
    Row(.cannotFindHost, .cannotConnect, "cannot be resolved", "Outgoing Connections (Client)"),
    Row(.dnsLookupFailed, .cannotConnect, "cannot be resolved", "App Sandbox"),
    Row(.cannotConnectToHost, .cannotConnect, "refused"),
    Row(
      .appTransportSecurityRequiresSecureConnection, .insecureURL, "App Transport Security",
      "NSAllowsLocalNetworking"),
    Row(.dataLengthExceedsMaximum, .responseTooLarge, "larger than the system allows"),
    Row(.timedOut, .timedOut, "idle timeout"),
  ]

  @Test("Each says what it is, with the fix where one is known", arguments: rows)
  func meaning(_ row: Row) throws {
    let url = try #require(URL(string: "https://login.example.com:8443/tasks?code=canary"))
    let error = TransportError(sessionError: URLError(row.code), url: url)
    #expect(error.code == row.means)
    #expect(error.message.contains(row.words) && error.message.contains("login.example.com:8443"), "\(error)")
    if let suggestion = row.suggestion {
      #expect(error.recoverySuggestion?.contains(suggestion) == true, "\(error)")
      #expect(error.description.hasSuffix(error.recoverySuggestion ?? "none"))
    } else {
      #expect(error.recoverySuggestion == nil)
    }
    #expect(!"\(error)".contains("canary"))
  }

  @Test("A refusal of App Transport Security is not tried again")
  func noRetry() {
    let refusal = TransportError(
      sessionError: URLError(.appTransportSecurityRequiresSecureConnection), url: nil)
    #expect(!refusal.isRetryable)
  }

  @Test("A body with GET or HEAD is refused in its own words, in any letters", arguments: ["GET", "get", "Head"])
  func body(_ method: String) throws {
    let url = try #require(URL(string: "https://api.example.com/tasks"))
    let request = URLRequest(
      method: method, url: url, body: Data("{}".utf8))
    let error = #expect(throws: TransportError.self) { try request.validatedOrigin() }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message.contains("\(request.method) request cannot carry a body") == true)
    #expect(error?.recoverySuggestion?.contains("another method") == true)
  }
}
