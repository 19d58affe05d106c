import B2CTestKit
import Foundation
import Testing

struct AuthenticationChallengeTests {
  typealias Challenge = AuthenticationChallenge

  static let table: [(String, [[String: String]])] = [
    // RFC 6750 section 3.
    (#"Bearer realm="example""#, [["realm": "example"]]),
    (
      #"Bearer realm="example", error="invalid_token", error_description="The access token expired""#,
      [["realm": "example", "error": "invalid_token", "error_description": "The access token expired"]]
    ),
    // RFC 9110 section 11.6.1, with another scheme for a bearer token's.
    (
      #"Basic realm="simple", Bearer realm="apps", type=1, title="Login to \"apps\"""#,
      [["realm": "apps", "type": "1", "title": #"Login to "apps""#]]
    ),
    ("Bearer", [[:]]), ("bearer realm=a", [["realm": "a"]]), ("Bearer, Negotiate", [[:]]),
    ("Negotiate YII=, Bearer", [[:]]), ("Negotiate a+/b-._~c==", []), (#"Newauth realm="Bearer", type=Bearer"#, []),
    (#"Negotiate,Basic realm="a, Bearer b",Bearer error="invalid_token""#, [["error": "invalid_token"]]),
    (#"Bearer error="x", Basic realm="r", scope="s""#, [["error": "x"]]),
    // Servers also send these: no quotes, no commas, a quotation that does not end.
    ("Bearer error=invalid_token, realm=Users", [["error": "invalid_token", "realm": "Users"]]),
    ("Bearer scope=read write, error=insufficient_scope", [["scope": "read", "error": "insufficient_scope"]]),
    (
      "Bearer authorization_uri=https://login.example.com/a/authorize?p=b, resource_id=https://api.example.com/",
      [["authorization_uri": "https://login.example.com/a/authorize?p=b", "resource_id": "https://api.example.com/"]]
    ),
    (#"Bearer realm="" error="invalid_token""#, [["realm": "", "error": "invalid_token"]]),
    (#"Bearer REALM = "a""#, [["realm": "a"]]), (#"bearer realm="a", realm="b""#, [["realm": "a"]]),
    (#"Bearer realm="no end"#, [["realm": "no end"]]), (#"Bearer realm="end\"#, [["realm": #"end\"#]]),
    (", ,Bearer ,, realm=a,,", [["realm": "a"]]), (#"Bearer realm="größe""#, [["realm": "größe"]]),
    (#"error="invalid_token""#, []), ("", []), (" , ,", []), ("=", []), ("\"", []), (#""stray" =,"#, []),
  ]

  @Test("Bearer challenges are read among those of other schemes, however they are quoted", arguments: table)
  func reads(text: String, challenges: [[String: String]]) {
    #expect(Challenge.parse(text) == challenges)
  }

  private func bearer(_ headers: [String: String]) throws -> [String: String] {
    Challenge.parameters(in: try LocalResponse(status: 401, headers: headers).answer(to: URL(filePath: "/")).1)
  }

  @Test("Of several fields, which a transport joins, the challenge that says most")
  func prefersTheChallengeThatSaysMost() throws {
    let fields = [
      #"Basic realm="b", error="not ours""#, #"Bearer realm="first""#,
      #"Bearer error="invalid_token", Bearer claims="{}""#,
    ]
    #expect(try bearer(["www-authenticate": fields.joined(separator: ", ")])["claims"] == "{}")
    #expect(try bearer(["WWW-Authenticate": "Bearer realm=a, Bearer error=x"])["error"] == "x")
    #expect(try bearer(["WWW-Authenticate": "Basic realm=a"]).isEmpty)
    #expect(try bearer([:]).isEmpty)
  }

  @Test(
    "Claims are read as JSON, and in both alphabets of Base64 with and without padding",
    arguments: [#"{"acr":{"value":"~~~???>>>"}}"#, #"{"x":{"value":"ÿþý?~>"}}"#])
  func givesClaimsAsJSON(json: String) {
    let plain = Data(json.utf8).base64EncodedString()
    // The row is of use only when it has a character in which the alphabets differ.
    #expect(plain.contains("+") || plain.contains("/"))
    let url = plain.replacing("+", with: "-").replacing("/", with: "_")
    for text in [json, plain, url, plain.filter { $0 != "=" }, url.filter { $0 != "=" }] {
      let quoted = text.replacing("\"", with: "\\\"")
      #expect(Challenge.parse(#"Bearer error="insufficient_claims", claims="\#(quoted)""#).last?["claims"] == text)
      #expect(Challenge.claims(text) == json)
    }
  }

  @Test(
    "Claims that are not a JSON object of at most 4 KiB are ignored",
    arguments: [
      "mfa", "", "[]", "null", "{", #"{"a":1}}"#, #"{"a":1,"a":2}"#, "{\u{1B}[2J not json \u{202E}",
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
    { Data($0.utf8).base64EncodedString() }, { Base64URL.urlSafe(Data($0.utf8).base64EncodedString()) },
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
    let claims = Challenge.claims("{\n  \"acr\": {\"value\": \"a\u{202E}b\"}\n}")
    #expect(claims == #"{   "acr": {"value": "a b"} }"#)
  }
}
