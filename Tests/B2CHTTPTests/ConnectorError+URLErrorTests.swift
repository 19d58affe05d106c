import B2CCore
import B2CHTTP
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Errors of the system's URL loading")
struct ConnectorErrorURLErrorTests {
  struct Row: Sendable {
    let code: URLError.Code
    let means: ErrorCode
    let words: String
    let suggestion: String?

    init(
      _ code: URLError.Code, _ means: ErrorCode, _ words: String,
      _ suggestion: String? = nil
    ) {
      self.code = code
      self.means = means
      self.words = words
      self.suggestion = suggestion
    }
  }

  static let rows = [
    Row(.cannotFindHost, .network, "cannot be resolved", "Outgoing Connections (Client)"),
    Row(.dnsLookupFailed, .network, "cannot be resolved", "App Sandbox"),
    Row(.cannotConnectToHost, .network, "refused"),
    Row(
      .appTransportSecurityRequiresSecureConnection, .configuration, "App Transport Security",
      "NSAllowsLocalNetworking"),
    Row(.dataLengthExceedsMaximum, .tooLarge, "larger than the 1048576 bytes", "Raise `maximumBodyBytes`"),
    Row(.timedOut, .timedOut, "was silent for 15.0 seconds, or took more than 30.0 seconds in all"),
  ]

  @Test("Each says what it is, with the fix where one is known", arguments: rows)
  func meaning(_ row: Row) throws {
    let url = try #require(URL(string: "https://login.example.com:8443/tasks?code=canary"))
    let error = ConnectorError(URLError(row.code), URLRequest(url: url), .standard)
    #expect(error.code == row.means)
    #expect(error.message.contains(row.words) && error.message.contains("login.example.com:8443"), "\(error)")
    if let suggestion = row.suggestion {
      #expect(error.recoverySuggestion?.contains(suggestion) == true, "\(error)")
      #expect(error.description.hasSuffix(error.recoverySuggestion ?? "none"))
    } else {
      #expect(error.recoverySuggestion == "Check the connection, then try again.")
    }
    #expect(!"\(error)".contains("canary"))
  }

  @Test(
    "The error names the proxy that answered instead of a server that was not asked",
    arguments: [
      "CONNECT tunnel failed, response 407", "Could not resolve proxy: proxy.example", "Proxy CONNECT aborted",
    ])
  func proxy(_ answer: String) throws {
    let url = try #require(URL(string: "https://login.example.com/tasks?code=canary"))
    let info = [URLError.proxyKey: " through the proxy proxy.example:3128 of x", URLError.proxyAnswerKey: answer]
    let error = ConnectorError(URLError(.cannotConnectToHost, userInfo: info), URLRequest(url: url), .standard)
    #expect(
      error.message
        == "No response to GET https://login.example.com/tasks: login.example.com through the proxy proxy.example:3128 of x refused the connection. libcurl said: \(answer)."
    )
    #expect(error.recoverySuggestion?.contains("the proxy") == true && error.code == .network)
  }

  @Test("A refusal of App Transport Security is not tried again")
  func noRetry() throws {
    let url = try #require(URL(string: "http://login.example.com"))
    let refusal = ConnectorError(
      URLError(.appTransportSecurityRequiresSecureConnection), URLRequest(url: url), .standard)
    #expect(!refusal.isRetryable)
  }

  @Test("A body with GET or HEAD is refused in its own words, in any letters", arguments: ["GET", "get", "Head"])
  func body(_ method: String) throws {
    let url = try #require(URL(string: "https://api.example.com/tasks"))
    let request = URLRequest(
      method: method, url: url, body: Data("{}".utf8))
    let error = #expect(throws: ConnectorError.self) { try request.validatedOrigin() }
    #expect(error?.code == .configuration)
    #expect(error?.message.contains("\(request.method) request cannot carry a body") == true)
    #expect(error?.recoverySuggestion?.contains("another method") == true)
  }
}
