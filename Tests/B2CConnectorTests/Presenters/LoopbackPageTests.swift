import B2CConnector
import Foundation
import TestSupport
import Testing

@Suite(.descriptors(), .hangLimit)
struct LoopbackPageTests {
  /// Runs a flow to its end and returns the answer to the redirect.
  private func answer(
    _ page: (@Sendable (Bool) -> String)? = nil, query: String = "code=x", headers: String = ""
  ) async throws -> (head: String, body: String) {
    let watcher = PageWatcher()
    let presenter = LoopbackPresenter(open: watcher.opened, page: page)
    let task = Task { try await presenter.present(.test()) }
    let shown = await watcher.next()
    let target = "/callback?\(query)&state=\(PresentationRequest.testState)"
    let answer = try await get(target, port: shown.port, headers: headers)
    _ = try await task.value
    let parts = answer.components(separatedBy: "\r\n\r\n")
    return (parts[0], parts.dropFirst().joined())
  }

  @Test("Nothing of the request is in the page")
  func noReflection() async throws {
    let (_, body) = try await answer(
      query: "code=c0defromserver&error=%3Cscript%3E&x=canary", headers: "X-Canary: canary\r\n")
    for canary in ["c0defromserver", "script", "canary", PresentationRequest.testState] {
      #expect(!body.contains(canary))
    }
  }

  @Test("The page is not stored, sends no referrer, and allows nothing but its own style")
  func headers() async throws {
    let (head, body) = try await answer()
    for field in [
      "Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
      "X-Frame-Options: DENY", "Content-Type: text/html; charset=utf-8", "Connection: close",
    ] {
      #expect(head.contains(field))
    }
    let policy = try #require(head.field("Content-Security-Policy"))
    #expect(policy.hasPrefix("default-src 'none'; style-src 'unsafe-inline'; img-src data:;"))
    #expect(!policy.contains("script"))
    #expect(policy.contains("frame-ancestors 'none'"))
    #expect(body.contains("<style>"))
  }

  @Test("The page works without a script, on small screens, in the dark and for screen readers")
  func quality() async throws {
    let (_, body) = try await answer()
    #expect(!body.contains("<script"))
    for piece in [
      "<!DOCTYPE html>", "<html lang=\"en\">", "name=\"viewport\" content=\"width=device-width", "<title>", "<main>",
      "<h1", "role=\"status\"", "color-scheme: light dark", "href=\"data:,\"",
    ] {
      #expect(body.contains(piece), "\(piece)")
    }
    #expect(body.components(separatedBy: "http").count == 1, "nothing is loaded from anywhere")
  }

  @Test("An app's own page is served as it is", arguments: [("code=x", true), ("error=access_denied", false)])
  func html(_ query: String, isSuccess: Bool) async throws {
    let (head, body) = try await answer({ "<h1>\($0)</h1>" }, query: query)
    #expect(head.field("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
    #expect(body == "<h1>\(isSuccess)</h1>")
  }
}
