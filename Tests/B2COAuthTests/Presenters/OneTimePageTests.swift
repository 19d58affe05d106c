#if os(Linux)
  import B2CCore
  import B2CLoopback
  import B2COAuth
  import Foundation
  import TestSupport
  import Testing

  /// Whose connections get the redirect of the one-time page: decided by the exact connection.
  ///
  /// Root runs these tests as the victim; the sockets of the attacker belong to another user.
  @Suite(.descriptors(), .timeLimit(.minutes(10)))
  struct OneTimePageTests {
    private static let attacker: UInt32 = 65_534
    /// The ways in which the system can be asked.
    enum Lookup: String, CaseIterable {
      case system, kernel, tables

      var users: PeerUsers {
        switch self {
        case .system: .system
        case .kernel: .kernel
        case .tables: .tables
        }
      }
    }
    private let pages = PageWatcher()

    /// Opens a sign-in and hands its one-time page to a body that tries to read it; afterwards the browser still gets it.
    private func attack(
      _ lookup: Lookup, _ body: (_ path: String, _ port: UInt16) async throws -> Void
    ) async throws {
      let presenter = LoopbackPresenter(opening: pages.opening, users: lookup.users)
      let task = Task { try await presenter.present(.test("http://localhost/callback")) }
      let opened = await pages.nextURL()
      let port = try #require(opened.port.flatMap(UInt16.init(exactly:)))
      try await body(opened.path, port)
      #expect(try await get(opened.path, port: port).hasPrefix("HTTP/1.1 302 "))
      _ = try await get("/callback?code=x&state=\(PresentationRequest.testState)", port: port)
      _ = try await task.value
    }

    private func request(_ path: String, _ port: UInt16) -> String {
      "GET \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n"
    }

    @Test(
      "another user gets no answer from any address of this machine", .enabled(if: getuid() == 0),
      arguments: Lookup.allCases)
    func otherUser(_ lookup: Lookup) async throws {
      try await attack(lookup) { path, port in
        for (host, source) in [
          ("127.0.0.1", nil), ("127.0.0.1", "127.0.0.2"), ("::1", nil), ("::ffff:127.0.0.1", nil),
        ] as [(String, String?)] {
          guard
            let client = try? await LoopbackClient(
              port: port, host: host, from: source.map { ($0, 0) }, owner: Self.attacker)
          else {
            #expect(host == "::1", "not every machine has it")
            continue
          }
          await client.send(request(path, port))
          #expect(await client.receiveAll().isEmpty, "\(host) from \(source ?? "anywhere")")
        }
      }
    }

    @Test(
      "a foreign connection with the port numbers of the listener's own is not taken for it",
      .enabled(if: getuid() == 0), arguments: Lookup.allCases)
    func equalPorts(_ lookup: Lookup) async throws {
      try await attack(lookup) { path, port in
        // The listener's end of this one is the user's own, is open, and has the listener's port at both ends.
        let decoy = try await LoopbackClient(port: port, from: ("127.0.0.3", port), owner: Self.attacker)
        decoy.sendStalled("GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: " + String(repeating: "x", count: 100))
        let client = try await LoopbackClient(port: port, from: ("127.0.0.2", port), owner: Self.attacker)
        client.sendLast(request(path, port))
        #expect(await client.receiveAll().isEmpty)
        withExtendedLifetime(decoy) {}
      }
    }

    @Test(
      "a connection of the user with the same port numbers lets no other user in",
      .enabled(if: getuid() == 0), arguments: Lookup.allCases)
    func sharedPorts(_ lookup: Lookup) async throws {
      try await attack(lookup) { path, port in
        let own = try await LoopbackClient(port: port, from: ("127.0.0.4", 0))
        let client = try await LoopbackClient(port: port, from: ("127.0.0.2", own.port), owner: Self.attacker)
        client.sendLast(request(path, port))
        #expect(await client.receiveAll().isEmpty)
        withExtendedLifetime(own) {}
      }
    }

    @Test(
      "this user gets the redirect at every address that the listener has",
      arguments: Lookup.allCases,
      [("127.0.0.1", nil), ("127.0.0.1", "127.0.0.2"), ("::1", nil), ("::ffff:127.0.0.1", nil)])
    func thisUser(_ lookup: Lookup, _ ends: (String, String?)) async throws {
      let (host, source) = ends
      let presenter = LoopbackPresenter(opening: pages.opening, users: lookup.users)
      let task = Task { try await presenter.present(.test("http://localhost/callback")) }
      let opened = await pages.nextURL()
      let port = try #require(opened.port.flatMap(UInt16.init(exactly:)))
      if let client = try? await LoopbackClient(
        port: port, host: host, from: source.map { ($0, 0) }, sending: request(opened.path, port))
      {
        #expect(await client.receiveAll().hasPrefix("HTTP/1.1 302 "))
      } else {
        #expect(host == "::1", "not every machine has it")
      }
      task.cancel()
      await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    @Test("where the system does not tell whose a connection is, no page opens, and the error says what to use")
    func unknown() async throws {
      let presenter = LoopbackPresenter(
        opening: BrowserOpening { _ in Issue.record("There is no page to open.") }, users: PeerUsers(sources: []))
      for purpose in [PresentationRequest.Purpose.signIn, .signOut] {
        let error = try await #require(throws: OAuthError.self) {
          try await presenter.present(.test("http://localhost/callback", purpose: purpose))
        }
        #expect(error.code == .presentationFailed)
        #expect(error.message == "This system does not tell whose a connection is.")
        #expect(error.recoverySuggestion == "Use ManualPresenter or a device code.")
      }
    }

    @Test("where the system stops telling, the fetch of the page ends the sign-in with the same error")
    func unknownLater() async throws {
      let isReadable = Locked(true)
      let users = PeerUsers(sources: [
        { _, _ in isReadable.withLock { $0 } ? [PeerUsers.Entry(state: 10, user: getuid(), inode: 1)] : [] }
      ])
      let presenter = LoopbackPresenter(opening: pages.opening, users: users)
      let task = Task { try await presenter.present(.test("http://localhost/callback")) }
      let opened = await pages.nextURL()
      let port = try #require(opened.port.flatMap(UInt16.init(exactly:)))
      isReadable.withLock { $0 = false }
      let answer = try await get(opened.path, port: port)
      #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains("does not tell whose"))
      await expectError(OAuthError.self, .presentationFailed) { _ = try await task.value }
    }
  }
#endif
