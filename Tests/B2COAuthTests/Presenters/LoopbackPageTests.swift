import B2CCore
import B2COAuth
import Foundation
import TestSupport
import Testing

@Suite(.descriptors(), .timeLimit(.minutes(10)))
struct LoopbackPageTests {
  /// Runs a flow to its end and returns the answer to the redirect.
  private func answer(
    _ page: LoopbackPage = LoopbackPage(), query: String = "code=x", headers: String = ""
  ) async throws -> (head: String, body: String) {
    let watcher = PageWatcher()
    let presenter = LoopbackPresenter(opening: watcher.opening, page: page)
    let task = Task { try await presenter.present(.test("http://localhost/callback")) }
    let shown = await watcher.next()
    let target = "/callback?\(query)&state=\(PresentationRequest.testState)"
    let answer = try await get(target, port: shown.port, headers: headers)
    _ = try await task.value
    let parts = answer.components(separatedBy: "\r\n\r\n")
    return (parts[0], parts.dropFirst().joined())
  }

  @Test("nothing of the request is in the page")
  func noReflection() async throws {
    let (_, body) = try await answer(
      query: "code=c0defromserver&error=%3Cscript%3E&x=canary", headers: "X-Canary: canary\r\n")
    for canary in ["c0defromserver", "script", "canary", PresentationRequest.testState] {
      #expect(!body.contains(canary))
    }
  }

  @Test("the page is not stored, sends no referrer, and allows nothing but its own style")
  func headers() async throws {
    let (head, body) = try await answer()
    for field in [
      "Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
      "X-Frame-Options: DENY", "Content-Type: text/html; charset=utf-8", "Connection: close",
    ] {
      #expect(head.contains(field))
    }
    let policy = try #require(head.field("Content-Security-Policy"))
    #expect(policy.hasPrefix("default-src 'none'; style-src 'nonce-"))
    #expect(!policy.contains("unsafe"))
    #expect(policy.contains("frame-ancestors 'none'"))
    let nonce = try #require(policy.components(separatedBy: "'nonce-").last?.components(separatedBy: "'").first)
    #expect(nonce.count >= 20)
    #expect(body.contains("<style nonce=\"\(nonce)\">"))
    #expect(try await answer().head.field("Content-Security-Policy") != policy)
  }

  @Test("the page works without a script, on small screens, in the dark and for screen readers")
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

  @Test("every text can be replaced, and none can break the page", arguments: [true, false])
  func texts(_ isSuccess: Bool) async throws {
    var page = LoopbackPage()
    page.appName = "Tom & \"Jerry\" <x>"
    page.language = "de\" onload=\""
    page.successHeading = "Fertig <b>& 'gut'</b>"
    page.successMessage = "Zurück zur App."
    page.failureHeading = "Nicht fertig <b>& 'gut'</b>"
    page.failureMessage = "Bitte noch einmal."
    let (_, body) = try await answer(page, query: isSuccess ? "code=x" : "error=access_denied")
    #expect(body.contains("Tom &amp; &quot;Jerry&quot; &lt;x&gt;"))
    #expect(body.contains("<html lang=\"de&quot; onload=&quot;\">"))
    #expect(
      body.contains(isSuccess ? ">Fertig &lt;b&gt;&amp; &#39;gut&#39;" : ">Nicht fertig &lt;b&gt;&amp; &#39;gut&#39;"))
    #expect(body.contains(isSuccess ? "Zurück zur App." : "Bitte noch einmal."))
  }

  @Test("a combining mark after a character of HTML does not keep it from being escaped")
  func combiningMarks() async throws {
    var page = LoopbackPage()
    page.language = "de\"\u{301} x"
    page.appName = "a <\u{338}b"
    let (_, body) = try await answer(page, query: "code=x")
    for escaped in ["de&quot;\u{301} x", "a &lt;\u{338}b"] {
      #expect(Data(body.utf8).range(of: Data(escaped.utf8)) != nil, "\(escaped)")
    }
  }
}
