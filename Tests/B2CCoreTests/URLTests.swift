import B2CCore
import Foundation
import Testing

@Suite struct LoopbackTests {
  @Test(
    "A host of this machine is known in any spelling",
    arguments: ["localhost", "LocalHost", "127.0.0.1", "127.255.255.254", "::1", "[::1]"])
  func thisMachine(host: String) { #expect(Loopback.isLoopback(host: host)) }

  @Test(
    "Any other host, or a spelling that readers take differently, is not this machine",
    arguments: [
      "", "localhost.example.com", "example.localhost.com", "128.0.0.1", "127.0.0.256", "127.0.0",
      "127.0.0.1.example.com", "127.0.0.+1", "127.0.0.01", "127.000.0.1", "127..0.1", "127.1", "0.0.0.0", "::", "::2",
      "[::1", "[localhost]", "[127.0.0.1]", "127.0.0.1]", "localhost.", " localhost", "192.168.0.1", "0x7f.0.0.1",
    ])
  func anotherMachineOrNone(host: String) { #expect(!Loopback.isLoopback(host: host)) }

  @Test(
    "A request may go to https, and by http only to this machine",
    arguments: [
      ("https://example.com/a", true), ("HTTPS://example.com", true), ("http://127.0.0.1:8080/a", true),
      ("http://localhost/a", true), ("http://[::1]:8080/a", true), ("http://example.com/a", false),
      ("http://127.0.0.1.example.com/", false), ("http://localhost@example.com/", false), ("ftp://localhost/", false),
      ("https:///a", false), ("https:a", false), ("file:///etc/passwd", false), ("//localhost/a", false),
      ("msal://x", false),
    ])
  func whereARequestMayGo(url: String, isAllowed: Bool) throws {
    #expect(try Loopback.isAllowed(#require(URL(string: url))) == isAllowed)
  }
}

@Suite struct RedactedURLTests {
  @Test(
    "A redacted URL has no user, query or fragment",
    arguments: [
      ("https://h:8443/a/b", "https://h:8443/a/b"), ("http://[::1]:8080/a", "http://[::1]:8080/a"),
      ("https://xn--bcher-kva.example/a", "https://xn--bcher-kva.example/a"),
      ("https://user:canary@h/a", "https://h/a"), ("https://h/a#access_token=canary", "https://h/a"),
      ("https://h/a?code=canary&state=canary", "https://h/a"), ("https://h/a?", "https://h/a"),
      ("urn:ietf:wg:oauth:2.0:oob?code=canary", "urn:ietf:wg:oauth:2.0:oob"),
      ("msauth.com.example://auth?code=canary", "msauth.com.example://auth"),
    ])
  func secretsGo(url: String, shown: String) throws {
    #expect(try #require(URL(string: url)).redacted == shown)
  }
}

@Suite struct URLComponentsPlainTests {
  @Test(
    "A URL that all readers read alike is read, and is the same again",
    arguments: [
      "https://user:p@host.example:8443/a/b?c=d?e#f", "http://[::1]:80/", "com.contoso.tasks:/redirect",
      "urn:ietf:wg:oauth:2.0:oob", "localhost:3000/tasks", "//host/a", "/a:b", "https://h?x", "https://h/a%20b?c=%5Bd",
      "https://h:65535/",
    ])
  func roundTrip(text: String) throws { #expect(try #require(URLComponents(plain: text)).string == text) }

  @Test(
    "A URL that readers disagree on, or that Foundation repairs, is not read",
    arguments: [
      "https://h/a b", "https://h/%2", "https://h/%zz", "https://h/\u{E9}", "https://h\\@evil/", "https://h/<a>",
      "https://h/{a}", "https://h/\u{0}", "https://h/\n", "https://a:b:443/t", "https://user@@h/", "https://h/a[b",
      "https://h:0/", "https://h:65536/", "https://h:0443/", "https://h:/", "https://h:99999999999999999999/",
      "https://h:44x/", "https://[::1]x/", "my_app:/r",
    ])
  func refused(text: String) { #expect(URLComponents(plain: text) == nil) }

  @Test(
    "A port at the end of the path is found",
    arguments: [
      ("http://localhost/tasks:3000", "/tasks", 3000), ("https://h/tasks:8443/", "/tasks/", 8443),
      ("https://h/a:65535", "/a", 65_535), ("https://h/a:65536", nil, nil), ("https://h/a:b", nil, nil),
      ("https://h/a:0", nil, nil), ("https://h:80/a:443", nil, nil), ("https://h/a:0443", nil, nil),
    ] as [(String, String?, Int?)])
  func portInPath(text: String, path: String?, port: Int?) throws {
    let found = try #require(URLComponents(plain: text)).portInPath
    #expect(found?.path == path && found?.port == port)
  }
}

/// In an app extension no refresh token is sent.
@Suite struct AppExtensionTests {
  private static let watch = "/private/var/containers/Bundle/Application/0A/Watch.app/PlugIns/Extension.appex"

  @Test(
    "An extension is known by its bundle, except for that of a watch app, which watchOS 9 still runs as the app",
    arguments: [
      ("/var/containers/Bundle/Application/0A/Tasks.app/PlugIns/Share.appex", nil, true),
      ("/private/var/containers/Bundle/Application/0A/Tasks.app/Extensions/Widget.appex/", nil, true),
      ("/Applications/Tasks.app/Contents/PlugIns/Share.appex", nil, true), ("/Applications/Tasks.app", nil, false),
      ("/Applications/My.appex.app", nil, false), ("/Users/me/Share.appex/Build/tool", nil, false), ("/", nil, false),
      ("", nil, false), (watch, nil, true), (watch, "com.apple.widgetkit-extension", true),
      (watch, "com.apple.watchkit", false), ("/Watch.app", "com.apple.watchkit", false),
    ] as [(String, String?, Bool)])
  func isExtension(path: String, point: String?, expected: Bool) {
    #expect(Bundle.isAppExtension(bundlePath: path, extensionPoint: point) == expected)
  }
}
