import B2CCore
import Foundation
import Testing

@Suite("Text of a server in an error")
struct PrintableTextTests {
  static let secret = "0.AXkAy-q_Refresh~Token/With+Odd=Bytes.r7Q2zLmN5vK8"
  /// Ten bytes: too few for the rule of token-like words.
  static let brief = "k7#Qz!m2Xy"

  /// The secret as a server may send it back.
  static var echoes: [String] {
    let bytes = secret.utf8.map { String(format: "%02x", $0) }
    let whole = [secret, secret.uppercased(), secret.lowercased(), FormEncoding.escape(secret)]
    return whole + [Base64URL.encode(secret.utf8)]
      + ["", "x", "id"].map { Data(($0 + secret).utf8).base64EncodedString() }
      + ["", "%", "%25", "\\u00"].map { escape in bytes.map { escape + $0 }.joined() }
  }

  /// Expects that no piece of some characters of what came back is left.
  private func expectNothing(of returned: String, in shown: String, pieces length: Int) {
    #expect(shown.contains(PrintableText.replacement), "\(shown)")
    let characters = Array(returned)
    for start in 0...max(0, characters.count - length) {
      #expect(!shown.contains(String(characters[start..<min(start + length, characters.count)])), "\(shown)")
    }
  }

  @Test("shows no secret that was sent: its forms are known or look like a token", arguments: echoes)
  func echo(_ returned: String) throws {
    for text in ["Bad token \(returned) here", returned, "x=\(returned)&y", "(\(returned))"] {
      let shown = PrintableText(hiding: [Secret(Self.secret)], limit: 2_000).show(text) ?? ""
      expectNothing(of: returned, in: shown, pieces: 12)
    }
    let around = try #require(PrintableText(hiding: [Secret(Self.secret)]).show("Bad token: \(returned), sorry"))
    #expect(around.hasPrefix("Bad token: ") && around.hasSuffix(", sorry"))
  }

  @Test(
    "shows no short secret either, and would show it if it were not known",
    arguments: [brief, brief.uppercased(), FormEncoding.escape(brief)])
  func briefEcho(_ returned: String) throws {
    let text = "Bad code \(returned), sorry"
    #expect(PrintableText().show(text) == text)
    let shown = try #require(PrintableText(hiding: [Secret(Self.brief)]).show(text))
    #expect(shown.hasPrefix("Bad code ") && shown.hasSuffix(", sorry"))
    expectNothing(of: returned, in: shown, pieces: 8)
  }

  @Test("hides a secret of four bytes whole, and no shorter one")
  func shortSecret() {
    let text = PrintableText(hiding: [Secret("ab12"), Secret("xyz")])
    #expect(text.show("code AB12, xyz and ab1") == "code [redacted], xyz and ab1")
  }

  @Test(
    "shows sentences about tokens and what only resembles one as they are",
    arguments: [
      "The provided authorization grant or refresh token is invalid, expired, revoked, does not match the redirection "
        + "URI used in the authorization request, or was issued to another client.",
      "The Authorization Server requires End-User authentication", "id_token not found", "refresh_token expired",
      "The password is wrong", "Your password has expired: password reset required", "A basic check failed",
      "The bearer token is missing", "Bearer authentication is required", "the client_secret parameter, if any",
      "assertion verification failed", "Basic authentication is not supported", "id_token 401",
      "AADB2C90088: The provided grant has not been issued for this endpoint. Actual Value : B2C_1_SignUpOrSignIn_v2",
      "Scope https://contoso.onmicrosoft.com/tasks/read of 6f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0 is unknown",
      "Grüße 日本語 🧑‍🧑‍🧒‍🧒", "2026-01-01 00:00:00Z", "Application ABCDE12345.com.example.tasks is not associated",
    ])
  func harmless(_ text: String) {
    #expect(PrintableText(hiding: [Secret(Self.secret)], limit: 300).show(text) == text)
  }

  @Test(
    "hides what is assigned to the name of a credential",
    arguments: [
      ("password: %@", "swordfish"), ("password=%@&x", "1234"), ("client_secret = \"%@\"", "abc"),
      ("\"refresh_token\": \"%@\"", "abcdef"), ("Authorization: %@ x", "abc"), ("Authorization: Bearer %@", "abc"),
      ("Authorization: Basic %@", "abc"), ("device_code=%@", "BCDF"), ("assertion='%@'", "abc"),
    ])
  func credentials(_ format: String, _ credential: String) throws {
    let shown = try #require(PrintableText().show(format.replacing("%@", with: credential)))
    #expect(!shown.contains(credential) && shown.contains(PrintableText.replacement), "\(shown)")
  }

  @Test(
    "hides of a custom part's words what is before an @ too",
    arguments: [
      (#"no host name "ret-Pass@127.0.0.1""#, #"no host name "[redacted]@127.0.0.1""#),
      ("postgresql://server:Sec@ret-Pass@db/tokens: no route", "[redacted]@db/tokens: no route"),
      ("chmod 600 /home/max@corp.example/tokens", "chmod 600 /home/max@corp.example/tokens"),
      ("chmod 600 /a/\(hash).json.", "chmod 600 /a/\(hash).json."),
      ("connect password=hunter2 host=db", "connect password=[redacted] host=db"),
      ("FATAL: \u{1B}]0;pwn\u{7}\n2026 admin logged in\u{202E}", "FATAL:  ]0;pwn  2026 admin logged in"),
    ])
  func customParts(_ text: String, _ expected: String) {
    #expect(PrintableText.ofCustomPart(text) == expected)
    #expect((490...500).contains(PrintableText.ofCustomPart(text + String(repeating: " no", count: 10_000)).count))
  }

  private static let hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

  @Test(
    "hides what looks like a token",
    arguments: [
      "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln", "EYJHBGCIOIJSUZI1NIJ9", "eyJhbGciOi",
      "AQABAAIAAAAmoFfGtYxvRrNriQdPKIZ-p", "Authorization: Bearer abc", "refresh_token=abc",
      "%65%79%4a%68%62%47%63%69%4f", "\\u0065\\u0079\\u004a\\u0068\\u0062\\u0047\\u0063\\u0069",
    ])
  func unknownTokens(_ token: String) throws {
    let shown = try #require(PrintableText().show("The \(token) failed"))
    #expect(shown.contains(PrintableText.replacement))
    for part in ["abc", "hbG", "HBG", "AmoF", "%65", "\\u0065"] { #expect(!shown.contains(part)) }
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
}

@Suite struct SecretTests {
  private static let canary = "canary-7f3a"

  @Test("Every way of showing a secret gives [redacted]")
  func shown() {
    struct Holder { let token = Secret(SecretTests.canary) }
    let secret = Secret(Self.canary)
    var dumped = ""
    dump(Holder(), to: &dumped)
    let shown = [
      secret.description, secret.debugDescription, "\(secret)", "\([secret])", "\(Optional(secret) as Any)",
      String(describing: secret), String(reflecting: secret), "\(Holder())", String(reflecting: Holder()), dumped,
      "\(["token": secret])",
    ]
    for text in shown { #expect(text.contains("[redacted]") && !text.contains(Self.canary)) }
    #expect(Mirror(reflecting: secret).children.isEmpty)
  }

  @Test("Coding keeps the text")
  func coding() throws {
    let data = try JSONEncoder().encode([Secret(Self.canary)])
    #expect(String(decoding: data, as: UTF8.self) == #"["canary-7f3a"]"#)
    #expect(try JSONDecoder().decode([Secret].self, from: data).first?.value == Self.canary)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([Secret].self, from: Data("[1]".utf8)) }
  }

  @Test(
    "Secrets are equal if their bytes are, so those that Swift takes for the same text are different",
    arguments: [
      ("a", "a", true), ("", "", true), ("a", "b", false), ("a", "ab", false), ("ab", "ba", false),
      ("é", "e\u{301}", false), ("K", "\u{212A}", false), (";", "\u{37E}", false),
    ])
  func comparing(left: String, right: String, isEqual: Bool) {
    #expect(Secret(left).isEqualInConstantTime(to: Secret(right)) == isEqual)
    #expect((Secret(left) == Secret(right)) == isEqual)
    #expect(Set([Secret(left), Secret(right)]).count == (isEqual ? 1 : 2))
  }
}

@Suite("GUIDs")
struct GUIDTests {
  @Test(
    "A GUID is folded to lower case, and nothing else is one",
    arguments: [
      ("6F1E2D3C-4b5a-6978-8796-a5b4c3d2e1f0", "6f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"), ("", nil), ("Victim-1", nil),
      ("6f1e2d3c4b5a69788796a5b4c3d2e1f0", nil), ("6f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f", nil),
      ("6f1e2d3c-4b5a-6978-8796-a5b4c3d2e1fg", nil), ("\u{FF16}f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", nil),
      ("{6f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0}", nil),
    ] as [(String, String?)])
  func folded(text: String, expected: String?) { #expect(GUID.folded(text) == expected) }
}
