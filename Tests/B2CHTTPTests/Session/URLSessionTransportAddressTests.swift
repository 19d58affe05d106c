#if canImport(FoundationNetworking)
  import B2CHTTP
  import Foundation
  import FoundationNetworking
  import TestSupport
  import Testing

  @Suite("Addresses that the system's URL loading does not take")
  struct URLSessionTransportAddressTests {
    @Test("An IPv6 literal is an error that no second try helps against, in words of its own")
    func literal() async throws {
      let url = try #require(URL(string: "http://[::1]:9618/tasks?code=canary"))
      let error = try await #require(throws: ConnectorError.self) {
        try await RetryingTransport(transport: URLSessionTransport()).answer(to: URLRequest(url: url))
      }
      #expect(error.code == .configuration && !error.isRetryable)
      #expect(error.message.contains("[::1]:9618") && error.message.contains("IPv6"))
      #expect(!error.message.contains("canary"))
    }
  }
#endif
