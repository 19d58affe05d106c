import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct AuthenticationChallengeTests {
  typealias Challenge = AuthenticationChallenge

  static let table: [(String, [[String: String]])] = [
    // RFC 6750 section 3.
    ("Bearer realm=\"example\"", [["realm": "example"]]),
    (
      "Bearer realm=\"example\", error=\"invalid_token\", error_description=\"The access token expired\"",
      [
        [
          "realm": "example", "error": "invalid_token", "error_description": "The access token expired",
        ]
      ]
    ),
    // RFC 9110 section 11.6.1, with another scheme for a bearer token's.
    (
      "Basic realm=\"simple\", Bearer realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\"",
      [["realm": "apps", "type": "1", "title": "Login to \"apps\""]]
    ),
    ("Bearer", [[:]]), ("bearer realm=a", [["realm": "a"]]),
    ("Bearer, Negotiate", [[:]]), ("Negotiate YII=, Bearer", [[:]]),
    ("Negotiate a+/b-._~c==", []), ("Newauth realm=\"Bearer\", type=Bearer", []),
    (
      "Negotiate,Basic realm=\"a, Bearer b\",Bearer error=\"invalid_token\"",
      [["error": "invalid_token"]]
    ),
    ("Bearer error=\"x\", Basic realm=\"r\", scope=\"s\"", [["error": "x"]]),
    // Servers also send these: no quotes, no commas, a quotation that does not end.
    (
      "Bearer error=invalid_token, realm=Users",
      [["error": "invalid_token", "realm": "Users"]]
    ),
    (
      "Bearer scope=read write, error=insufficient_scope",
      [["scope": "read", "error": "insufficient_scope"]]
    ),
    (
      "Bearer authorization_uri=https://login.example.com/a/authorize?p=b, resource_id=https://api.example.com/",
      [
        [
          "authorization_uri": "https://login.example.com/a/authorize?p=b", "resource_id": "https://api.example.com/",
        ]
      ]
    ),
    ("Bearer realm=\"\" error=\"invalid_token\"", [["realm": "", "error": "invalid_token"]]),
    ("Bearer REALM = \"a\"", [["realm": "a"]]),
    ("bearer realm=\"a\", realm=\"b\"", [["realm": "a"]]),
    ("Bearer realm=\"no end", [["realm": "no end"]]),
    ("Bearer realm=\"end\\", [["realm": "end\\"]]),
    (", ,Bearer ,, realm=a,,", [["realm": "a"]]),
    ("Bearer realm=\"größe\"", [["realm": "größe"]]),
    ("error=\"invalid_token\"", []), ("", []), (" , ,", []), ("=", []), ("\"", []), ("\"stray\" =,", []),
  ]

  @Test("Bearer challenges are read among those of other schemes, however they are quoted", arguments: table)
  func reads(text: String, challenges: [[String: String]]) {
    #expect(Challenge.parse(text) == challenges)
  }

  @Test("No text makes the parser fail")
  func randomPieces() {
    let pieces = ["Bearer", " ", ",", "=", "\"", "\\", "realm", "error=\"x\"", "a b", "\t", "é", "==", "+/"]
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<5000 {
      let text = (0..<Int.random(in: 0...12, using: &generator)).map { _ in pieces.randomElement() ?? "" }.joined()
      let read = Challenge.parse(text)
      #expect(read.count <= text.utf8.count)
    }
  }

  private func bearer(_ headers: [String: String]) throws -> [String: String] {
    Challenge.parameters(in: try LocalResponse(status: 401, headers: headers).answer(to: URL(filePath: "/")).1)
  }

  @Test("Of several fields, which a transport joins, the challenge that says most")
  func prefersTheChallengeThatSaysMost() throws {
    let fields = [
      "Basic realm=\"b\", error=\"not ours\"", "Bearer realm=\"first\"",
      "Bearer error=\"invalid_token\", Bearer claims=\"{}\"",
    ]
    #expect(try bearer(["www-authenticate": fields.joined(separator: ", ")])["claims"] == "{}")
    #expect(try bearer(["WWW-Authenticate": "Bearer realm=a, Bearer error=x"])["error"] == "x")
    #expect(try bearer(["WWW-Authenticate": "Basic realm=a"]).isEmpty)
    #expect(try bearer([:]).isEmpty)
  }

  // {"access_token":{"nbf":{"essential":true,"value":"1"}}} in Base64 and Base64url, with and without padding.
  @Test(
    "The claims of a challenge are given as JSON",
    arguments: [
      "eyJhY2Nlc3NfdG9rZW4iOnsibmJmIjp7ImVzc2VudGlhbCI6dHJ1ZSwidmFsdWUiOiIxIn19fQ==",
      "eyJhY2Nlc3NfdG9rZW4iOnsibmJmIjp7ImVzc2VudGlhbCI6dHJ1ZSwidmFsdWUiOiIxIn19fQ",
      "{\\\"access_token\\\":{\\\"nbf\\\":{\\\"essential\\\":true,\\\"value\\\":\\\"1\\\"}}}",
    ])
  func givesClaimsAsJSON(text: String) throws {
    let challenge = try #require(Challenge.parse("Bearer error=\"insufficient_claims\", claims=\"\(text)\"").first)
    let claims = challenge["claims"].flatMap { Challenge.claims($0) }
    #expect(claims == "{\"access_token\":{\"nbf\":{\"essential\":true,\"value\":\"1\"}}}")
  }

  // {"acr":{"value":"a?>?~~ÿ"}} has a plus and a slash in one alphabet, a minus and an underscore in the other.
  @Test(
    "Claims are read in both alphabets of Base64",
    arguments: [
      (#"{"acr":{"value":"~~~???>>>"}}"#, "+", "/"), (#"{"x":{"value":"ÿþý?~>"}}"#, "+", "/"),
    ])
  func bothAlphabets(json: String, plus: Character, slash: Character) throws {
    let plain = Data(json.utf8).base64EncodedString()
    // The row is of use only when it has a character in which the alphabets differ.
    #expect(plain.contains(plus) || plain.contains(slash))
    let url = plain.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    for text in [plain, url] {
      for text in [text, text.filter { $0 != "=" }] {
        #expect(Challenge.claims(text) == json)
        #expect(Challenge.parse("Bearer claims=\"\(text)\"") == [["claims": text]])
      }
    }
  }

  @Test(
    "Claims that are not a JSON object of at most 4 KiB are ignored",
    arguments: [
      "mfa", "", "[]", "null", "{", "{\"a\":1}}", "{\"a\":1,\"a\":2}", "{\u{1B}[2J not json \u{202E}",
      "{\"a\":\"\(String(repeating: "x ", count: 2_048))\"}", String(repeating: "{\"a\":", count: 40),
    ])
  func hasNoClaimsWhenTheyAreNoJSONObject(text: String) {
    for text in [text, Data(text.utf8).base64EncodedString()] {
      #expect(Challenge.claims(text) == nil)
    }
  }

  /// The token of a request, written so that it is the same after decoding.
  static let disguises: [@Sendable (String) -> String] = [
    { $0 }, { $0.uppercased() }, { $0.replacing(".", with: #"\u002e"#).replacing("/", with: #"\/"#) },
    { $0.unicodeScalars.map { #"\u00"# + String($0.value, radix: 16) }.joined() },
    { $0.unicodeScalars.map { "%" + String($0.value, radix: 16) }.joined() },
    { Data($0.utf8).base64EncodedString() },
    {
      Data($0.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(
        of: "/", with: "_")
    },
  ]

  @Test("Claims that contain the sent token are ignored, however it is written", arguments: disguises.indices)
  func echoedToken(_ index: Int) {
    for token in ["eyJhbGciOiJSUzI1NiJ9.e30/~.c2ln", "0a|b:c!.d-e_f"] {
      let text = Self.disguises[index](token)
      for json in [
        #"{"acr":{"value":"\#(text)"}}"#, #"{"acr":{"values":[["x"],{"y":"before \#(text) after"}]}}"#,
        #"{"\#(text)":null}"#,
      ] {
        for claims in [json, Data(json.utf8).base64EncodedString()] {
          #expect(Challenge.claims(claims, hiding: [Secret("other-token"), Secret(token)]) == nil, "\(json)")
          #expect(Challenge.claims(claims, hiding: [Secret("other-token")]) != nil, "\(json)")
        }
      }
    }
    #expect(Challenge.claims(#"{"acr":{"value":123456789}}"#, hiding: [Secret("123456789")]) == nil)
  }

  @Test("Claims are handed on printable")
  func printableClaims() {
    let json = "{\n  \"acr\": {\"value\": \"a\u{202E}b\"}\n}"
    let claims = Challenge.claims(json)
    #expect(claims == "{   \"acr\": {\"value\": \"a b\"} }")
  }
}
