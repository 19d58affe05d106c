import B2CTokenCache
import Foundation
import Testing

@Suite struct TokenRecordTests {
  @Test("The stored form never changes")
  func storedForm() throws {
    let stored = """
      {"access":[{"ends":1767229200,"received":1767225600,"renew":1767227400,"scopes":["read","write"],\
      "token":"canary-access-one"}],"claims":{"name":"Canary Claim"},\
      "id":"canary-id-one","policy":"B2C_1_SignIn","refresh":"canary-refresh-one","refreshEnds":1767312000,\
      "signedIn":1767225600,"v":1}
      """
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    #expect(String(decoding: try encoder.encode(Samples.record()), as: UTF8.self) == stored)
    #expect(try JSONDecoder().decode(TokenRecord.self, from: Data(stored.utf8)) == Samples.record())
  }

  @Test("Scopes that were asked for and not granted are kept")
  func requestedScopes() throws {
    var record = Samples.record()
    record.accessTokens[0].requestedScopes = ["read", "write", "admin"]
    #expect(try JSONDecoder().decode(TokenRecord.self, from: JSONEncoder().encode(record)) == record)
  }

  @Test(
    "A newer version is refused, whatever its fields are",
    arguments: [#"{"v":2,"signedIn":0}"#, #"{"v":2}"#, #"{"v":2,"signedIn":"today","access":{}}"#])
  func newerVersion(_ stored: String) throws {
    let error = #expect(throws: TokenCacheError.self) {
      try JSONDecoder().decode(TokenRecord.self, from: Data(stored.utf8))
    }
    #expect(error?.code == .newerVersion)
    #expect(error?.message.contains("2") == true)
  }

  @Test(
    "An incomplete form is refused",
    arguments: [#"{}"#, #"{"v":1}"#, #"{"signedIn":1}"#, #"{"v":"1","signedIn":1}"#, #"[]"#])
  func incompleteForm(_ stored: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(TokenRecord.self, from: Data(stored.utf8)) }
  }

  @Test("Absent and null fields are read as absent")
  func sparseForm() throws {
    let record = try JSONDecoder().decode(
      TokenRecord.self, from: Data(#"{"v":1,"signedIn":1767225600,"refresh":null}"#.utf8))
    #expect(record == TokenRecord(signedInAt: Samples.date(0)))
  }

  @Test("No token is printed")
  func secrecy() {
    var text = ""
    dump(Samples.record(), to: &text)
    text += "\(Samples.record())" + String(reflecting: Samples.record())
    for canary in ["canary-refresh", "canary-id", "canary-access"] { #expect(!text.contains(canary)) }
  }
}
