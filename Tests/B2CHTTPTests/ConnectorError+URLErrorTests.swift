import B2CHTTP
import Foundation
import Testing

@Suite("Errors of the system's URL loading")
struct ConnectorErrorURLErrorTests {
  private func error(_ error: URLError) throws -> ConnectorError {
    let url = try #require(URL(string: "https://login.example.com:8443/tasks?code=canary"))
    return ConnectorError(error, URLRequest(url: url), .standard)
  }

  private static let again = "Check the connection, then try again."

  /// The code, what it means, and the words of the error with its advice.
  static let rows: [(URLError.Code, ErrorCode, String)] = [
    (.cannotFindHost, .network, "cannot be resolved. \(again) A Mac app with the App Sandbox also needs Outgoing"),
    (.dnsLookupFailed, .network, "cannot be resolved. \(again) A Mac app with the App Sandbox also needs Outgoing"),
    (.cannotConnectToHost, .network, "refused the connection. \(again)"),
    (
      .appTransportSecurityRequiresSecureConnection, .configuration,
      "refuses http to login.example.com:8443. Use https."
    ),
    (.dataLengthExceedsMaximum, .tooLarge, "larger than the 1048576 bytes that are allowed. Raise `maximumBodyBytes`"),
    (.timedOut, .timedOut, "was silent for 15.0 seconds, or took more than 30.0 seconds in all. \(again)"),
  ]

  @Test("Each says what it is, with the fix where one is known, and whether it may pass", arguments: rows)
  func meaning(_ code: URLError.Code, _ means: ErrorCode, _ words: String) throws {
    let error = try error(URLError(code))
    #expect(error.code == means && error.isRetryable == [.network, .timedOut].contains(means))
    #expect("\(error)".contains(words) && error.message.contains("login.example.com:8443"), "\(error)")
    #expect(!"\(error)".contains("canary"))
  }

  @Test(
    "The error names the proxy that answered instead of a server that was not asked",
    arguments: [
      "CONNECT tunnel failed, response 407", "Could not resolve proxy: proxy.example", "Proxy CONNECT aborted",
    ])
  func proxy(_ answer: String) throws {
    let info = [URLError.proxyKey: " through the proxy proxy.example:3128 of x", URLError.proxyAnswerKey: answer]
    let error = try error(URLError(.cannotConnectToHost, userInfo: info))
    let place = "login.example.com:8443 through the proxy proxy.example:3128 of x"
    #expect(
      error.message == "No response to GET https://login.example.com:8443/tasks: \(place) refused the connection. "
        + "libcurl said: \(answer).")
    #expect(error.recoverySuggestion?.contains("the proxy") == true && error.code == .network)
  }
}
