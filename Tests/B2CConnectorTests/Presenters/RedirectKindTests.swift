import B2CConnector
import B2CCore
import Foundation
import TestSupport
import Testing

/// Tables of `validate(redirectURI:)` of each presenter, of a sheet's `callback(for:)` and of `CallbackState.isRight`.
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
      self.uri = uri
      self.servedBy = servedBy
      self.advice = advice
    }
  }

  static let cases = [
    Case("http://localhost", "L", "Use LoopbackPresenter"),
    Case("http://localhost:8400/callback", "L", "Use LoopbackPresenter"),
    Case("http://127.0.0.1/", "L", "Use LoopbackPresenter"),
    Case("http://[::1]:8400/x?y=z", "L", "Use LoopbackPresenter"),
    Case("http://LOCALHOST/x", "L", "Use LoopbackPresenter"),
    Case("http://127.0.0.2/", "", "No presenter can receive it"),
    Case("http://app.example.com/", "", "No presenter can receive it"),
    Case("http://localhost.example.com/", "", "No presenter can receive it"),
    Case("http://localhost/#fragment", "", "No presenter can receive it"),
    Case("http://user@localhost/", "", "No presenter can receive it"),
    Case("com.example.app:/callback", "WwE", "Use WebAuthenticationPresenter"),
    Case("msauth.com.example.app://auth", "WwE", "Use WebAuthenticationPresenter"),
    Case("msal00001111-aaaa-2222-bbbb-3333cccc4444://auth", "WwE", "Use WebAuthenticationPresenter"),
    Case("myapp://callback", "WwE", "A scheme with a dot, for example com.example.app, is safer"),
    Case("myapp://auth", "WwE", "Use WebAuthenticationPresenter"),
    Case("msalish://callback", "WwE", "Use WebAuthenticationPresenter"),
    Case("https://app.example.com/callback", "WE", "Use WebAuthenticationPresenter from iOS 17.4"),
    Case("https://localhost:8400/callback", "", "No presenter can receive it"),
    Case("https://127.0.0.1/callback", "", "No presenter can receive it"),
    Case("urn:ietf:wg:oauth:2.0:oob", "", "No presenter can receive it"),
    Case("urn:ietf:wg:oauth:2.0:oob:auto", "", "No presenter can receive it"),
    Case("urn:other:thing", "", "No presenter can receive it"),
    Case("file:///tmp/x", "", "No presenter can receive it"),
    Case("javascript:alert(1)", "", "No presenter can receive it"),
    Case("callback", "", "No presenter can receive it"),
  ]

  static let presenters: [(Character, @Sendable (URL) throws -> Void)] = [
    ("L", { try LoopbackPresenter { _ in }.validate(redirectURI: $0) }),
    ("W", { _ = try flow(supportsHTTPS: true).callback(for: $0) }),
    ("w", { _ = try flow(supportsHTTPS: false).callback(for: $0) }),
    ("E", { try ExternalBrowserPresenter { _ in }.validate(redirectURI: $0) }),
  ]

  private static func flow(supportsHTTPS: Bool) -> WebAuthenticationFlow {
    WebAuthenticationFlow(supportsHTTPSCallbacks: supportsHTTPS) { _, _ in throw CancellationError() }
  }

  @Test("a presenter takes what it serves and names the presenter for all else", arguments: cases)
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

  @Test("the sheet's callback is the scheme in lower case, or host and path")
  func callbacks() throws {
    let flow = Self.flow(supportsHTTPS: true)
    let scheme = try #require(URL(string: "Com.Example.App:/callback"))
    #expect(try flow.callback(for: scheme) == .customScheme("com.example.app"))
    let claimed = try #require(URL(string: "https://app.example.com/a/b"))
    #expect(try flow.callback(for: claimed) == .https(host: "app.example.com", path: "/a/b"))
    let bare = try #require(URL(string: "https://app.example.com"))
    #expect(try flow.callback(for: bare) == .https(host: "app.example.com", path: "/"))
  }

  @Test("a mismatch is found before anything opens")
  func nothingOpens() async {
    let opened = LockedFlag()
    await expectError(ConnectorError.self, .unsupportedRedirectURI) {
      _ = try await LoopbackPresenter { _ in opened.set() }.present(.test("com.example.app:/x"))
    }
    await expectError(ConnectorError.self, .unsupportedRedirectURI) {
      _ = try await ExternalBrowserPresenter { _ in opened.set() }.present(.test("http://localhost/"))
    }
    #expect(!opened.isSet)
  }

  @Test("A state counts only in the part that the answer is read from (found by fuzzing)")
  func stateInAnotherPart() throws {
    let redirectURI = try #require(URL(string: "https://app.contoso.com/signed-in"))
    for (answer, isRight) in [
      ("?code=a&state=s", true), ("#code=a&state=s", true), ("?x=y#code=a&state=s", true),
      ("?code=a&state=s#_=_", true),
      ("?error=access_denied#state=s", false), ("?code=a#code=b&state=s", false), ("?state=t#state=s", false),
      ("?state=s&state=s", false),
    ] {
      let url = try #require(URL(string: redirectURI.absoluteString + answer))
      #expect(CallbackState.isRight(url, redirectURI: redirectURI, state: Secret("s")) == isRight, "\(answer)")
    }
  }
}

/// Remembers that something happened.
final class LockedFlag: Sendable {
  private let flag = Locked(false)
  var isSet: Bool { flag.withLock { $0 } }
  func set() { flag.withLock { $0 = true } }
}
