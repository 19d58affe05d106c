import B2CCore
import B2CTokenCache
import Foundation
import Testing

@Suite struct TokenRecordTests {
  @Test("The stored form of every field never changes")
  func storedForm() throws {
    let stored = """
      {"access":[{"asked":["admin","read","write"],"received":1767225600,"renew":1767227400,"scopes":["read","write"],\
      "token":"canary-access-one","until":1767229200}],"claims":{"name":"Canary Claim"},"ended":true,\
      "id":"canary-id-one","policy":"B2C_1_SignIn","position":7,"refresh":"canary-refresh-one","required":"alice",\
      "session":"11000000-0000-4000-8000-000000000022","since":1767225600,\
      "stamp":"11000000-0000-4000-8000-000000000022","until":1767312000,"v":1}
      """
    var record = Samples.record()
    record.accessTokens[0].requestedScopes = ["read", "write", "admin"]
    record.isEnded = true
    record.requiredUser = "alice"
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    #expect(String(decoding: try encoder.encode(record), as: UTF8.self) == stored)
    #expect(try JSONDecoder().decode(TokenRecord.self, from: Data(stored.utf8)) == record)
  }

  @Test("The strategies of an encoder and a decoder do not change the stored form")
  func strategies() throws {
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    encoder.outputFormatting = [.sortedKeys]
    let stored = try encoder.encode(Samples.record())
    encoder.dateEncodingStrategy = .iso8601
    encoder.keyEncodingStrategy = .convertToSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    #expect(try encoder.encode(Samples.record()) == stored)
    #expect(try decoder.decode(TokenRecord.self, from: stored) == Samples.record())
  }

  @Test("A record is of another sign-in and has another stamp than any other, unless it is given them")
  func stamps() {
    let records = [TokenRecord(signedInAt: Samples.date(0)), TokenRecord(signedInAt: Samples.date(0))]
    #expect(Set(records.flatMap { [$0.signIn, $0.stamp] }).count == 4)
  }

  @Test(
    "A newer version is refused, whatever its fields are",
    arguments: [#"{"v":2,"since":0,"position":9}"#, #"{"v":2}"#, #"{"v":2,"since":"today","access":{}}"#])
  func newerVersion(_ stored: String) throws {
    let error = #expect(throws: ConnectorError.self) {
      try JSONDecoder().decode(TokenRecord.self, from: Data(stored.utf8))
    }
    #expect(error?.code == .tokenCache && error?.isRetryable == false)
    #expect(error?.message.contains("has the stored form 2") == true)
    #expect(error?.needsInteraction == true && error?.recordPosition == (stored.contains("position") ? 9 : nil))
  }

  @Test(
    "An incomplete form is refused",
    arguments: [
      #"{}"#, #"{"v":1}"#, #"{"since":1}"#, #"{"v":1,"since":1}"#, #"{"v":"1","since":1}"#, #"[]"#,
      #"{"v":1,"since":1,"position":1,"session":"1","stamp":"2"}"#,
      #"{"v":1,"since":1,"session":"\#(Samples.uuid)","stamp":"\#(Samples.uuid)"}"#,
    ])
  func incompleteForm(_ stored: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(TokenRecord.self, from: Data(stored.utf8)) }
  }

  @Test("Absent and null fields are read as absent")
  func sparseForm() throws {
    let stored =
      #"{"v":1,"since":1767225600,"position":0,"session":"\#(Samples.uuid)","stamp":"\#(Samples.uuid)","refresh":null}"#
    let record = try JSONDecoder().decode(TokenRecord.self, from: Data(stored.utf8))
    #expect(record == TokenRecord(signIn: Samples.uuid, stamp: Samples.uuid, signedInAt: Samples.date(0)))
  }
}
