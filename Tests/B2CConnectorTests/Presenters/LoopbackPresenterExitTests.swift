// Exit tests came with Swift 6.2, for the systems where a process can start another one.
#if compiler(>=6.2) && (os(macOS) || os(Linux))
  import B2CConnector
  import B2CCore
  import B2CLoopback
  import B2CTestKit
  import Foundation
  import TestSupport
  import Testing

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Openers that use URLSession themselves.
  extension LoopbackPresenterTests {
    // In processes of their own: FoundationNetworking may deadlock when one of its requests is given up, and two threads that
    // it blocks are all that a small machine's pool has.

    @Test("a way of opening that follows the pages with URLSession does not hang the sign-in")
    func openerFollows() async {
      await #expect(processExitsWith: .success) {
        let server = try await LoopbackPresenterTests.redirectingServer()
        let presenter = LoopbackPresenter(
          open: { url in _ = try await LoopbackPresenterTests.session.data(from: url) })
        for _ in 1...20 {
          let url = try await presenter.present(
            .test("http://127.0.0.1/callback", page: "http://127.0.0.1:\(server.port)/authorize"))
          guard url.query?.contains("code=x") == true else { exit(1) }
        }
        exit(0)
      }
    }

    @Test("a way of opening that waits for a server that never answers does not outlast the timeout")
    func openerWaits() async {
      await #expect(processExitsWith: .success) {
        let arrived = TestGate()
        let server = try await LoopbackListener { exchange in
          arrived.open()
          await exchange.waitForDisconnect()
        }
        let clock = TestClock(advancesItself: false)
        let presenter = LoopbackPresenter(
          open: { url in _ = try await LoopbackPresenterTests.session.data(from: url) },
          timeout: .seconds(5), clock: clock)
        let task = Task {
          try await presenter.present(.test("http://127.0.0.1/callback", page: "http://127.0.0.1:\(server.port)/"))
        }
        try await arrived.wait()
        await clock.waitForSleepers()
        await clock.advance(by: .seconds(5))
        let error = await #expect(throws: ConnectorError.self) { _ = try await task.value }
        exit(error?.code == .timedOut ? 0 : 1)
      }
    }

    // Only Linux has a device that is always full.
    #if os(Linux)
      @Test("A full disk behind standard error, where a page's address is printed, does not end the process")
      func fullDisk() async {
        await #expect(processExitsWith: .success) {
          guard dup2(open("/dev/full", O_WRONLY), 2) == 2 else { exit(1) }
          await B2CConnector.Browser.open(URL(filePath: "/page"), path: "")
          exit(0)
        }
      }
    #endif

    @Test("A closed standard error does not end the process")
    func closedStandardError() async {
      await #expect(processExitsWith: .success) {
        guard close(2) == 0 else { exit(1) }
        await B2CConnector.Browser.open(URL(filePath: "/page"), path: "")
        exit(0)
      }
    }

    /// Answers an authorization request at once with a redirect that holds a code.
    static func redirectingServer() async throws -> LoopbackListener {
      try await LoopbackListener { (request: LoopbackRequest) in
        let pairs = FormEncoding.decode(request.query ?? "")
        let redirect = pairs.first { $0.name == "redirect_uri" }?.value ?? ""
        return LoopbackResponse(status: 302, headers: ["Location": "\(redirect)?code=x&state=\(state)"])
      }
    }
  }
#endif
