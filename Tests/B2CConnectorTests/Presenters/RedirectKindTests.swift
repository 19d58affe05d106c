import B2CConnector
import Foundation
import TestSupport
import Testing

/// Tables of `validate(redirectURI:)` of each presenter and of a sheet's `callback(for:)`.
@Suite(.hangLimit)
struct RedirectKindTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let uri: String
    /// The presenters that serve it: L(oopback), W(eb authentication), w (the same without https), E(xternal).
    let servedBy: String
    /// What the error of all others must advise.
    let advice: String
    var testDescription: String { uri }

    init(_ uri: String, _ servedBy: String, _ advice: String) {
      (self.uri, self.servedBy, self.advice) = (uri, servedBy, advice)
    }
  }

  static let cases =
    [
      "http://localhost", "http://localhost:8400/callback", "http://127.0.0.1/", "http://[::1]:8400/x?y=z",
      "http://LOCALHOST/x",
    ].map { Case($0, "L", "Use LoopbackPresenter") }
    + [
      "com.example.app:/callback", "msauth.com.example.app://auth", "msal00001111-aaaa-2222-bbbb-3333cccc4444://auth",
      "myapp://auth", "msalish://callback",
    ].map { Case($0, "WwE", "Use WebAuthenticationPresenter") }
    + [
      Case("myapp://callback", "WwE", "A scheme with a dot, for example com.example.app, is safer"),
      Case("https://app.example.com/callback", "WE", "Use WebAuthenticationPresenter from iOS 17.4"),
    ]
    + [
      "http://127.0.0.2/", "http://app.example.com/", "http://localhost.example.com/", "http://localhost/#fragment",
      "http://user@localhost/", "https://localhost:8400/callback", "https://127.0.0.1/callback",
      "urn:ietf:wg:oauth:2.0:oob", "urn:ietf:wg:oauth:2.0:oob:auto", "urn:other:thing", "file:///tmp/x",
      "javascript:alert(1)", "callback",
    ].map { Case($0, "", "No presenter can receive it") }

  static let presenters: [(Character, @Sendable (URL) throws -> Void)] = [
    ("L", { try LoopbackPresenter { _ in }.validate(redirectURI: $0) }),
    ("W", { _ = try flow(supportsHTTPS: true).callback(for: $0) }),
    ("w", { _ = try flow(supportsHTTPS: false).callback(for: $0) }),
    ("E", { try ExternalBrowserPresenter { _ in }.validate(redirectURI: $0) }),
  ]

  private static func flow(supportsHTTPS: Bool) -> WebAuthenticationFlow {
    WebAuthenticationFlow(supportsHTTPSCallbacks: supportsHTTPS) { _, _ in throw CancellationError() }
  }

  @Test("A presenter takes what it serves and names the presenter for all else", arguments: cases)
  func validates(_ sample: Case) throws {
    let url = try #require(URL(string: sample.uri))
    for (letter, validate) in Self.presenters {
      if sample.servedBy.contains(letter) {
        #expect(throws: Never.self) { try validate(url) }
      } else {
        let error = #expect(throws: ConnectorError.self) { try validate(url) }
        #expect(error?.code == .unsupportedRedirectURI)
        #expect(error?.recoverySuggestion?.contains(sample.advice) == true, "\(letter): \(error?.description ?? "")")
      }
    }
  }

  @Test("A mismatch is found before anything opens")
  func nothingOpens() async {
    let opened = Recorder<URL>()
    await expectError(ConnectorError.self, .unsupportedRedirectURI) {
      try await LoopbackPresenter(open: opened.record).present(.test("com.example.app:/x"))
    }
    await expectError(ConnectorError.self, .unsupportedRedirectURI) {
      try await ExternalBrowserPresenter(open: opened.record).present(.test("http://localhost/"))
    }
    await expectError(ConnectorError.self, .unsupportedRedirectURI) {
      try await Self.flow(supportsHTTPS: false).run(.test("https://app.example.com/cb"))
    }
    #expect(opened.values.isEmpty)
  }
}
