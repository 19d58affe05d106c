import B2CCore
import B2CIDToken
import Foundation
import Testing

@Suite("What id_tokens show of themselves")
struct IDTokenSecrecyTests {
  /// What printing, dumping and reflecting a value gives.
  private func shown(_ value: Any) -> String {
    var text = "\(value) \(String(reflecting: value))"
    dump(value, to: &text)
    return text
  }

  @Test("A token shows nothing")
  func token() throws {
    let compact = try IDTokenScene().compact()
    let token = try IDToken(compact: Secret(compact))
    let text = shown(token) + shown([token]) + shown(Optional(token) as Any)
    for part in compact.split(separator: ".") {
      #expect(!text.contains(part))
    }
    #expect(!text.contains("Ada"))
    #expect(token.keyID == "rsa")
    #expect(token.compact.value == compact)
  }

  @Test("Expectations show no nonce and no token")
  func expectations() throws {
    var scene = try IDTokenScene()
    scene.expectations.accessToken = Secret("canary-access")
    let text = shown(scene.expectations)
    #expect(!text.contains("canary"))
    #expect(!text.contains("n-0S6_WzA2Mj"))
  }

  @Test("A message quotes foreign text cut and printable")
  func quoting() throws {
    var scene = try IDTokenScene()
    scene.payload["iss"] = "\"https://\\u001b[31m\\u202e\(String(repeating: "x ", count: 2000))\""
    let rejection = #expect(throws: ConnectorError.self) { try scene.verify() }
    let message = try #require(rejection).message
    #expect(message.contains("https:// [31m x x x"))
    #expect(message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
    #expect(message.count < 300)
  }

  @Test("A message hides what looks like a token", arguments: ["alg", "typ", "kid", "iss"])
  func tokenInsideAField(_ field: String) throws {
    let token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2ln"
    var scene = try IDTokenScene()
    if field == "iss" { scene.payload["iss"] = "\"\(token)\"" } else { scene.header[field] = "\"\(token)\"" }
    let rejection = #expect(throws: ConnectorError.self) { try scene.verify() }
    let message = try #require(rejection).message
    #expect(message.contains("[redacted]"))
    #expect(!message.contains("eyJ"))
    #expect(!message.contains("c2ln"))
  }
}
