// Where a process can start another one.
#if os(macOS) || os(Linux)
  import B2COAuth
  import Foundation
  import Testing

  extension BrowserOpeningTests {
    /// A folder with a program that writes its argument into the file `opened` and ends with a status.
    private func folder(exitStatus: Int) throws -> URL {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let opened = folder.appendingPathComponent("opened")
      let program = folder.appendingPathComponent("fake-open")
      let script = "#!/bin/sh\nprintf '%s' \"$#:$1\" > '\(opened.path)'\nexit \(exitStatus)\n"
      try Data(script.utf8).write(to: program)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
      return folder
    }

    @Test("the program's only argument is a one-time local page, with nothing of the page's URL in it")
    func program() async throws {
      let folder = try folder(exitStatus: 3)
      defer { try? FileManager.default.removeItem(at: folder) }
      // The status makes the flow end; the program has run by then.
      #expect(
        try await open(
          .command(named: ["fake-open"], path: folder.path),
          page: "https://login.example/logout?id_token_hint=eyJhbGciOi&state=s3cret&a=$(x)") == .presentationFailed)
      let argument = try String(contentsOf: folder.appendingPathComponent("opened"), encoding: .utf8)
      #expect(argument.hasPrefix("1:http://127.0.0.1:"))
      for piece in ["login.example", "eyJ", "s3cret", "$", "?", " "] { #expect(!argument.contains(piece)) }
    }

    @Test("a program that is not there is a clear error")
    func noProgram() async throws {
      let opening = BrowserOpening.command(named: ["no-such-program"], path: "/nonexistent:relative")
      #expect(try await open(opening) == .presentationFailed)
    }

    @Test("a way that fails falls back to another")
    func fallsBack() async throws {
      let opening = BrowserOpening.command(named: ["no-such-program"], path: "")
        .fallingBack(to: BrowserOpening { _ in throw ConnectorError(own: .timedOut, "the other way") })
      #expect(try await open(opening) == .timedOut)
    }
  }
#endif
