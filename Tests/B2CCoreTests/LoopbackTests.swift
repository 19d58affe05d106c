import B2CCore
import Foundation
import Testing

@Suite struct LoopbackTests {
  @Test(
    "A host of this machine is known in any spelling",
    arguments: ["localhost", "LocalHost", "127.0.0.1", "127.255.255.254", "::1", "[::1]"])
  func thisMachine(host: String) {
    #expect(Loopback.isLoopback(host: host))
  }

  @Test(
    "Any other host, or a spelling that readers take differently, is not this machine",
    arguments: [
      "", "localhost.example.com", "example.localhost.com", "128.0.0.1", "127.0.0.256", "127.0.0",
      "127.0.0.1.example.com",
      "127.0.0.+1", "127.0.0.01", "127.000.0.1", "127..0.1", "127.1", "0.0.0.0", "::", "::2", "[::1", "[localhost]",
      "[127.0.0.1]", "127.0.0.1]", "localhost.", " localhost", "192.168.0.1", "0x7f.0.0.1",
    ])
  func anotherMachineOrNone(host: String) {
    #expect(!Loopback.isLoopback(host: host))
  }

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
