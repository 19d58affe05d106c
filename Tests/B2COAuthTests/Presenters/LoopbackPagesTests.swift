import B2CCore
import B2CHTTP
import B2COAuth
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LoopbackPagesTests {
  private static let german = LoopbackPages.Texts(
    language: "de", successHeading: "Fertig", successMessage: "Zurück zur App.", failureHeading: "Nicht fertig",
    failureMessage: "Bitte noch einmal.")
  private static let brazilian = LoopbackPages.Texts(
    language: "pt-BR", successHeading: "Pronto", successMessage: "Volte ao app.", failureHeading: "Incompleto",
    failureMessage: "Tente de novo.")

  /// Runs a flow to its end and gives the answer to the redirect.
  private func answer(
    _ pages: LoopbackPages, query: String = "code=x", headers: String = ""
  ) async throws -> (head: String, body: String) {
    let watcher = PageWatcher()
    let presenter = LoopbackPresenter(opening: watcher.opening, pages: pages)
    let task = Task { try await presenter.present(.test("http://localhost/callback")) }
    let page = await watcher.next()
    let target = "/callback?\(query)&state=\(PresentationRequest.testState)"
    let answer = try await get(target, port: page.port, headers: headers)
    _ = try await task.value
    let parts = answer.components(separatedBy: "\r\n\r\n")
    return (parts[0], parts.dropFirst().joined())
  }

  @Test("nothing of the request stands in the page")
  func noReflection() async throws {
    let (_, body) = try await answer(
      LoopbackPages(), query: "code=c0defromserver&error=%3Cscript%3E&x=canary", headers: "X-Canary: canary\r\n")
    for canary in ["c0defromserver", "script", "canary", PresentationRequest.testState] {
      #expect(!body.contains(canary))
    }
  }

  @Test("the page is kept by nobody, told to nobody, and allows nothing but its own style")
  func headers() async throws {
    let (head, body) = try await answer(LoopbackPages())
    for field in [
      "Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
      "X-Frame-Options: DENY", "Content-Type: text/html; charset=utf-8", "Connection: close",
    ] {
      #expect(head.contains(field))
    }
    let policy = try #require(head.components(separatedBy: "Content-Security-Policy: ").last)
    #expect(policy.hasPrefix("default-src 'none'; style-src 'nonce-"))
    #expect(!policy.contains("unsafe"))
    #expect(policy.contains("frame-ancestors 'none'"))
    let nonce = try #require(policy.components(separatedBy: "'nonce-").last?.components(separatedBy: "'").first)
    #expect(nonce.count >= 20)
    #expect(body.contains("<style nonce=\"\(nonce)\">"))
  }

  @Test("each page has a nonce of its own")
  func freshNonce() async throws {
    let first = try await answer(LoopbackPages()).head
    let second = try await answer(LoopbackPages()).head
    #expect(first != second)
  }

  @Test("the page works without a script, on small screens, in the dark and for screen readers")
  func quality() async throws {
    let (_, body) = try await answer(LoopbackPages(appName: "Tasks"))
    #expect(!body.contains("<script"))
    for piece in [
      "<!DOCTYPE html>", "<html lang=\"en\">", "name=\"viewport\" content=\"width=device-width", "<title>", "<main>",
      "<h1", "role=\"status\"", "aria-hidden=\"true\"", "prefers-color-scheme: dark", "href=\"data:,\"",
    ] {
      #expect(body.contains(piece), "\(piece)")
    }
    #expect(body.components(separatedBy: "http").count == 1, "nothing is loaded from anywhere")
  }

  @Test("the app's name, color and words stand in the page, and cannot break it")
  func branding() async throws {
    var texts = LoopbackPages.Texts.english
    texts.successHeading = "Done <b>& 'well'</b>"
    let pages = LoopbackPages(appName: "Tom & \"Jerry\" <x>", accentColor: "#A1b2C3", texts: [texts])
    let (_, body) = try await answer(pages)
    #expect(body.contains("Tom &amp; &quot;Jerry&quot; &lt;x&gt;"))
    #expect(body.contains("Done &lt;b&gt;&amp; &#39;well&#39;&lt;/b&gt;"))
    #expect(body.contains("background: #A1b2C3;"))
    let (_, other) = try await answer(LoopbackPages(accentColor: "red; } body { display: none"))
    #expect(!other.contains("display: none"))
    #expect(other.contains("background: #0B6BCB;"))
  }

  @Test(
    "the browser's languages choose the words",
    arguments: [
      (nil, "en"), ("de", "de"), ("de-AT,de;q=0.9,en;q=0.8", "de"), ("fr, en;q=0.5", "en"), ("pt", "pt-BR"),
      ("en;q=0.1, pt-BR;q=0.9", "pt-BR"), ("fr", "en"), ("*", "en"), ("de;q=0, en", "en"), (";;,,q", "en"),
    ] as [(String?, String)])
  func languages(_ accepted: String?, _ expected: String) async throws {
    let pages = LoopbackPages(texts: [.english, Self.german, Self.brazilian])
    let (head, body) = try await answer(pages, headers: accepted.map { "Accept-Language: \($0)\r\n" } ?? "")
    #expect(head.contains("Content-Language: \(expected)\r\n"))
    #expect(body.contains("<html lang=\"\(expected)\">"))
  }

  @Test("without any words the English ones are shown, and a language that is none is left out")
  func noTexts() async throws {
    #expect(try await answer(LoopbackPages(texts: [])).body.contains("You can close this window"))
    var texts = LoopbackPages.Texts.english
    texts.language = "x\" onload=\""
    #expect(try await answer(LoopbackPages(texts: [texts])).body.contains("<html lang=\"en\">"))
  }
}
