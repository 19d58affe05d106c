// Where a process can start another one.
#if os(macOS) || os(Linux)
  import B2CConnector
  import Foundation
  import TestSupport
  import Testing

  extension BrowserTests {
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

    @Test(
      "the program's only argument is a one-time local page, with nothing of the page's URL in it; where the program fails, that page is printed",
      arguments: [0, 3])
    func program(exitStatus: Int) async throws {
      let folder = try folder(exitStatus: exitStatus)
      defer { try? FileManager.default.removeItem(at: folder) }
      let texts = AsyncStream<String?>.makeStream()
      let presenter = LoopbackPresenter { url in
        var text: String?
        await B2CConnector.Browser.open(url, with: ["fake-open"], path: folder.path) { text = $0 }
        texts.continuation.yield(text)
      }
      let page = "https://login.example/logout?id_token_hint=eyJhbGciOi&state=s3cret&a=$(x)"
      let task = Task { try await presenter.present(.test("http://localhost/", page: page)) }
      var iterator = texts.stream.makeAsyncIterator()
      let text = try #require(await iterator.next())
      task.cancel()
      _ = await task.result
      let argument = try String(contentsOf: folder.appendingPathComponent("opened"), encoding: .utf8)
      #expect(argument.hasPrefix("1:http://127.0.0.1:"))
      for piece in ["login.example", "eyJ", "s3cret", "$", "?", " "] { #expect(!argument.contains(piece)) }
      let printed = "Open this page in a browser on this machine, once:\n" + argument.dropFirst(2)
      #expect(text == (exitStatus == 0 ? nil : printed))
    }

    @Test("without a program the page is printed", arguments: ["/nonexistent:relative", ""])
    func noProgram(path: String) async throws {
      var text = ""
      await B2CConnector.Browser.open(try #require(URL(string: "http://127.0.0.1:1/x")), path: path) { text = $0 }
      #expect(text.hasSuffix("\nhttp://127.0.0.1:1/x"))
    }
  }
#endif
