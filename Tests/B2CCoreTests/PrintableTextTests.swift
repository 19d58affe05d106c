import B2CCore
import Foundation
import Testing

@Suite("Text of a server in an error")
struct PrintableTextTests {
  static let secret = "0.AXkAy-q_Refresh~Token/With+Odd=Bytes.r7Q2zLmN5vK8"

  struct Echo: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: @Sendable (String) -> String
  }

  private static func escaped(_ text: String, _ escape: (UInt8) -> String) -> String { text.utf8.map(escape).joined() }

  private static func hexadecimal(_ byte: UInt8) -> String { String(format: "%02x", byte) }

  static let echoes: [Echo] = [
    Echo(testDescription: "as it is") { $0 }, Echo(testDescription: "upper case") { $0.uppercased() },
    Echo(testDescription: "lower case") { $0.lowercased() },
    Echo(testDescription: "percent-encoded as far as needed") { FormEncoding.escape($0) },
    Echo(testDescription: "percent-encoded whole") { escaped($0) { "%" + hexadecimal($0) } },
    Echo(testDescription: "percent-encoded twice") { escaped($0) { "%25" + hexadecimal($0) } },
    Echo(testDescription: "base64") { Data($0.utf8).base64EncodedString() },
    Echo(testDescription: "base64 behind a byte") { Data(("x" + $0).utf8).base64EncodedString() },
    Echo(testDescription: "base64 behind two bytes") { Data(("id" + $0).utf8).base64EncodedString() },
    Echo(testDescription: "base64url") { Base64URL.encode(Array($0.utf8)) },
    Echo(testDescription: "JSON-escaped") { escaped($0) { "\\u00" + hexadecimal($0) } },
    Echo(testDescription: "hexadecimal") { escaped($0) { hexadecimal($0) } },
  ]

  @Test("shows no secret that was sent: its forms are known or look like a token", arguments: echoes)
  func echo(_ echo: Echo) throws {
    let returned = echo.text(Self.secret)
    for text in ["Bad token \(returned) here", returned, "x=\(returned)&y", "(\(returned))"] {
      let shown = PrintableText(hiding: [Secret(Self.secret)], limit: 2_000).show(text) ?? ""
      #expect(shown.contains(PrintableText.replacement), "\(shown)")
      // No piece of twelve characters of what came back is left.
      let characters = Array(returned)
      for start in stride(from: 0, through: max(0, characters.count - 12), by: 1) {
        #expect(!shown.contains(String(characters[start..<min(start + 12, characters.count)])), "\(shown)")
      }
    }
    let around = try #require(PrintableText(hiding: [Secret(Self.secret)]).show("Bad token: \(returned), sorry"))
    #expect(around.hasPrefix("Bad token: ") && around.hasSuffix(", sorry"))
  }

  /// Ten bytes: too few for the rule of token-like words.
  static let brief = "k7#Qz!m2Xy"

  static let briefEchoes: [Echo] = [
    Echo(testDescription: "as it is") { $0 }, Echo(testDescription: "upper case") { $0.uppercased() },
    Echo(testDescription: "percent-encoded as far as needed") { FormEncoding.escape($0) },
  ]

  @Test("shows no short secret either, and would show it if it were not known", arguments: briefEchoes)
  func briefEcho(_ echo: Echo) throws {
    let returned = echo.text(Self.brief)
    let text = "Bad code \(returned), sorry"
    #expect(PrintableText().show(text) == text)
    let shown = try #require(PrintableText(hiding: [Secret(Self.brief)]).show(text))
    #expect(shown.hasPrefix("Bad code ") && shown.hasSuffix(", sorry"))
    #expect(shown.contains(PrintableText.replacement), "\(shown)")
    // Encoded behind other bytes, the first and the last characters mix with their neighbours.
    let characters = Array(returned)
    for start in 0...(characters.count - 8) {
      #expect(!shown.contains(String(characters[start..<(start + 8)])), "\(shown)")
    }
  }

  @Test(
    "leaves the sentences about tokens whole",
    arguments: [
      "The provided authorization grant or refresh token is invalid, expired, revoked, does not match the redirection "
        + "URI used in the authorization request, or was issued to another client.",
      "The Authorization Server requires End-User authentication", "id_token not found", "refresh_token expired",
      "The password is wrong", "Your password has expired: password reset required", "A basic check failed",
      "The bearer token is missing", "Bearer authentication is required", "the client_secret parameter, if any",
      "assertion verification failed", "Basic authentication is not supported", "id_token 401",
    ])
  func sentences(_ text: String) {
    #expect(PrintableText(limit: 300).show(text) == text)
  }

  @Test(
    "hides what is assigned to the name of a credential",
    arguments: [
      ("password: %@", "swordfish"), ("password=%@&x", "1234"), ("client_secret = \"%@\"", "abc"),
      ("\"refresh_token\": \"%@\"", "abcdef"), ("Authorization: %@ x", "abc"), ("Authorization: Bearer %@", "abc"),
      ("Authorization: Basic %@", "abc"), ("device_code=%@", "BCDF"), ("assertion='%@'", "abc"),
    ] as [(String, String)])
  func credentials(_ format: String, _ credential: String) throws {
    let shown = try #require(PrintableText().show(format.replacing("%@", with: credential)))
    #expect(!shown.contains(credential) && shown.contains(PrintableText.replacement), "\(shown)")
  }

  @Test(
    "hides of a custom part's words what is before an @ too",
    arguments: [
      (
        #"could not translate host name "ret-Pass@127.0.0.1""#, #"could not translate host name "[redacted]@127.0.0.1""#
      ),
      ("postgresql://server:Sec@ret-Pass@db/tokens: no route", "[redacted]@db/tokens: no route"),
      (
        "chmod 600 /home/a/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.json.",
        "chmod 600 /home/a/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.json."
      ),
      ("chmod 600 /home/max@corp.example/tokens", "chmod 600 /home/max@corp.example/tokens"),
      ("connect password=hunter2 host=db", "connect password=[redacted] host=db"),
      ("FATAL: \u{1B}]0;pwn\u{7}\n2026 admin logged in\u{202E}", "FATAL:  ]0;pwn  2026 admin logged in"),
    ])
  func customParts(_ text: String, _ expected: String) {
    #expect(PrintableText.ofCustomPart(text) == expected)
    #expect((490...500).contains(PrintableText.ofCustomPart(text + String(repeating: " no", count: 10_000)).count))
  }

  @Test(
    "hides what looks like a token",
    arguments: [
      "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln", "EYJHBGCIOIJSUZI1NIJ9", "eyJhbGciOi",
      "AQABAAIAAAAmoFfGtYxvRrNriQdPKIZ-p", "Authorization: Bearer abc", "refresh_token=abc",
      "%65%79%4a%68%62%47%63%69%4f",
      "\\u0065\\u0079\\u004a\\u0068\\u0062\\u0047\\u0063\\u0069",
    ])
  func unknownTokens(_ token: String) throws {
    let shown = try #require(PrintableText().show("The \(token) failed"))
    #expect(shown.contains(PrintableText.replacement))
    for part in ["abc", "hbG", "HBG", "AmoF", "%65", "\\u0065"] { #expect(!shown.contains(part)) }
  }

  @Test(
    "shows the rest as it is",
    arguments: [
      "AADB2C90088: The provided grant has not been issued for this endpoint. Actual Value : B2C_1_SignUpOrSignIn_v2",
      "Scope https://contoso.onmicrosoft.com/tasks/read of 6f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0 is unknown",
      "Grüße 日本語 🧑‍🧑‍🧒‍🧒", "2026-01-01 00:00:00Z", "Application ABCDE12345.com.example.tasks is not associated",
    ])
  func harmless(_ text: String) {
    #expect(PrintableText(hiding: [Secret(Self.secret)]).show(text) == text)
  }

  @Test("is one line without control characters and direction marks, cut to 200 characters")
  func printable() throws {
    let text =
      "a\r\nb\u{1B}[31mc\u{202E}d\u{2066}e\u{2028}f\u{0}g\u{85}h\u{FEFF}" + String(repeating: " no", count: 400)
    let shown = try #require(PrintableText().show(text))
    #expect((198...200).contains(shown.count) && shown.hasSuffix(" no"))
    #expect(shown.hasPrefix("a  b [31mc d e f g h"))
    #expect(shown.unicodeScalars.allSatisfy(PrintableText.isPrintable))
    #expect(PrintableText().show("\r\n\u{202E} ") == nil)
    #expect(PrintableText.plain("x\ny\u{202E}", limit: 2) == "x ")
  }

  @Test("shows no half of a word at its end, for example of a GUID", arguments: [190, 180, 170])
  func halfWord(_ count: Int) {
    let start = String(repeating: "a b ", count: 60).prefix(count) + "c"
    #expect(PrintableText().show(start + " 6f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0 is unknown") == String(start))
    #expect(PrintableText().show("a " + String(repeating: "語", count: 300))?.count == 200)
  }

  @Test("hides a short secret only whole")
  func shortSecret() {
    let text = PrintableText(hiding: [Secret("ab12"), Secret("xy")])
    #expect(text.show("code AB12, xy and ab1") == "code [redacted], xy and ab1")
  }
}

@Suite("GUIDs")
struct GUIDTests {
  @Test(
    "A GUID is folded to lower case, and nothing else is one",
    arguments: [
      ("6F1E2D3C-4b5a-6978-8796-a5b4c3d2e1f0", "6f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0" as String?),
      ("6f1e2d3c4b5a69788796a5b4c3d2e1f0", nil), ("", nil), ("6f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f", nil),
      ("6f1e2d3c-4b5a-6978-8796-a5b4c3d2e1fg", nil), ("\u{FF16}f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", nil),
      ("{6f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0}", nil), ("Victim-1", nil),
    ])
  func folded(text: String, expected: String?) {
    #expect(GUID.folded(text) == expected)
  }
}
