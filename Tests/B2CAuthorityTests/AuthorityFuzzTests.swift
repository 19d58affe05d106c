import B2CAuthority
import B2CCore
import Foundation
import TestSupport
import Testing

@Suite struct AuthorityFuzzTests {
  private static let pieces: [String] = [
    "https://", "http://", "HTTPS://", "//", "/", ":", "@", "#", "?", "&", "p=", "%", "%2F", "%zz", "\\", ".", "..",
    "[::1]", "[", "]", "127.0.0.1", "localhost", "0x7f.1", ":443", ":99999", "xn--", "tfp", "te", "common", "B2C_1_x",
    "contoso.onmicrosoft.com", "contoso.b2clogin.com", "login.microsoftonline.com", "ciamlogin.com", "v2.0",
    "oauth2/v2.0/authorize", ".well-known/openid-configuration", "{tenantid}", "<x>", " ", "\u{0}", "\n", "\u{200B}",
    "\u{202E}", "\u{43E}", "\u{FF0F}", "\u{2044}", "é", "😀", "\u{301}", "u:v@", "-", "_", "a", "1", "+", ";", "'",
  ]

  /// A row of the table, cut up, doubled, swapped and mixed with what breaks readers of URLs.
  private static func text(_ generator: inout SplitMix64) -> String {
    var text: String
    if Bool.random(using: &generator), let row = endpointRows.randomElement(using: &generator) {
      text = row.text
    } else {
      text = (0..<Int.random(in: 1...9, using: &generator))
        .compactMap { _ in pieces.randomElement(using: &generator) }.joined()
    }
    for _ in 0..<Int.random(in: 0...4, using: &generator) {
      var scalars = Array(text.unicodeScalars)
      let place = Int.random(in: 0...scalars.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: scalars.insert(contentsOf: (pieces.randomElement(using: &generator) ?? "").unicodeScalars, at: place)
      case 1: scalars.removeSubrange(place..<min(scalars.count, place + Int.random(in: 1...5, using: &generator)))
      case 2:
        let scalar = Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &generator)) ?? "?"
        scalars.insert(scalar, at: place)
      default: scalars.swapAt(min(place, max(scalars.count - 1, 0)), 0)
      }
      var view = String.UnicodeScalarView()
      view.append(contentsOf: scalars)
      text = String(view)
    }
    // A password, whole, at some place in front of the query: it may never be shown.
    if Int.random(in: 0..<8, using: &generator) == 0 {
      let scalars = Array(text.prefix { $0 != "?" && $0 != "#" }.unicodeScalars)
      let place = Int.random(in: 0...scalars.count, using: &generator)
      text =
        String(String.UnicodeScalarView(scalars[..<place])) + "user:hunter2@"
        + String(text.unicodeScalars.dropFirst(place))
    }
    return text
  }

  /// What every accepted authority promises; the first promise that is broken, in words.
  private static func broken(_ authority: Authority, _ kind: Authority.Kind?, _ policy: Policy) -> String? {
    guard let again = try? Authority(authority.description, kind: kind) else { return "cannot be read again" }
    guard again == authority else { return "reads back as \(again)" }
    for policy in [nil, policy] {
      guard let endpoints = try? Endpoints(authority: authority, policy: policy) else { continue }
      let urls = [
        endpoints.metadata, endpoints.authorization, endpoints.token, endpoints.endSession,
        endpoints.deviceAuthorization,
      ].compactMap(\.self)
      for url in urls {
        guard Loopback.isAllowed(url) else { return "\(url) may not be called" }
        guard url.host == authority.host else { return "\(url) is on another host than \(authority.host)" }
        guard url.user == nil, url.fragment == nil else { return "\(url) has user-info or a fragment" }
      }
    }
    return nil
  }

  @Test("Every text ends in an authority or a typed error", arguments: 0..<8)
  func everyText(seed: Int) throws {
    var generator = SplitMix64(seed: UInt64(seed))
    let policy = try Policy("B2C_1_x")
    let kinds: [Authority.Kind?] = [nil, nil, nil, .b2c, .ciam, .entra, .openIDConnect]
    var accepted = 0
    for _ in 0..<2_500 {
      let text = Self.text(&generator)
      let kind = kinds.randomElement(using: &generator) ?? nil
      do throws(AuthorityFault) {
        let authority = try Authority(parsing: text, kind: kind)
        accepted += 1
        #expect(Self.broken(authority, kind, policy) == nil, "\(text.debugDescription)")
      } catch {
        #expect(!error.message.isEmpty)
        #expect(!"\(error)".contains("hunter2"), "\(text.debugDescription)")
        if let suggestion = error.suggestion {
          #expect(throws: Never.self, "\(text.debugDescription)") { try Authority(suggestion, kind: kind) }
        }
      }
    }
    // Both outcomes have to be common, or the generator tests nothing.
    #expect((200...2_300).contains(accepted))
  }
}
