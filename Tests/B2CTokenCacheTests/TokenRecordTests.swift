import B2CTokenCache
import Foundation
import TestSupport
import Testing

@Suite struct TokenRecordTests {
  @Test(
    "The stored form of every field never changes, whatever strategies an encoder and a decoder have",
    arguments: [false, true])
  func storedForm(_ haveStrategies: Bool) throws {
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
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    encoder.outputFormatting = [.sortedKeys]
    if haveStrategies {
      (encoder.dateEncodingStrategy, decoder.dateDecodingStrategy) = (.iso8601, .iso8601)
      encoder.keyEncodingStrategy = .convertToSnakeCase
      decoder.keyDecodingStrategy = .convertFromSnakeCase
    }
    #expect(String(decoding: try encoder.encode(record), as: UTF8.self) == stored)
    #expect(try decoder.decode(TokenRecord.self, from: Data(stored.utf8)) == record)
  }

  @Test("A record is of another sign-in and has another stamp than any other, unless it is given them")
  func stamps() {
    let records = [TokenRecord(signedInAt: Samples.date(0)), TokenRecord(signedInAt: Samples.date(0))]
    #expect(Set(records.flatMap { [$0.signIn, $0.stamp] }).count == 4)
  }

  @Test(
    "A newer version is refused, whatever its fields are",
    arguments: [#"{"v":2,"since":0,"position":9}"#, #"{"v":2}"#, #"{"v":2,"since":"today","access":{}}"#])
  func newerVersion(_ stored: String) async throws {
    let error = await expectFailure("has the stored form 2") {
      try JSONDecoder().decode(TokenRecord.self, from: Data(stored.utf8))
    }
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

@Suite struct RecordFormTests {
  private let keychain = DictionaryKeychain(isShared: true)
  private let key = TokenCacheKey(authority: "https://a/b", clientID: "c", userID: "u")
  private let record = TokenRecord(signIn: Samples.uuid, stamp: Samples.uuid, signedInAt: Samples.date(0))

  /// Expects an item to be read as the record.
  private func expectRecord(in stored: String, form: RecordForm = RecordForm()) async throws {
    keychain.plant(Data(stored.utf8), account: key.canonicalText)
    #expect(try await StoredTokenCache(KeychainStore(keychain), form: form).record(for: key) == record)
  }

  @Test("The stored form of an item never changes")
  func plain() async throws {
    try await StoredTokenCache(KeychainStore(keychain)).store(record, for: key)
    let stored = """
      {"b2cTokenRecord":1,"key":{"authority":"https://a/b","clientID":"c","userID":"u"},"position":0,"record":{"position":0,\
      "session":"11000000-0000-4000-8000-000000000022","since":1767225600,\
      "stamp":"11000000-0000-4000-8000-000000000022","v":1}}
      """
    let item = try JSONSerialization.jsonObject(with: try #require(keychain.contents[key.canonicalText]))
    let sorted = try JSONSerialization.data(withJSONObject: item, options: [.sortedKeys, .withoutEscapingSlashes])
    #expect(String(decoding: sorted, as: UTF8.self) == stored)
    try await expectRecord(in: stored)
  }

  @Test("The form of a sealed item never changes, so that later versions can read it")
  func sealed() async throws {
    let stored = """
      {"b2cTokenRecord":1,"key":{"authority":"https://a/b","clientID":"c","userID":"u"},"position":0,"sealed":\
      "AAECAwQFBgcICQoLY6OfUic49WsE15bvizcC2Nseh78oUkcBJv5Oir7nXSjqX3bSuvcBzcTI84Zsx4UDxABsSebnxrpTPMDtzbA59W9-\
      MoyqYyigGBiXjAG_BraaYvvzfg0X043pSCZkBSJxh8AkLTwKMnOrQj1kAS1btqw4UK3t22LUSmp93e9FnWgqtWX4AY9w75oZSZZBxY-E\
      w0GKxGjWDw",\
      "stamp":"11000000-0000-4000-8000-000000000022"}
      """
    try await expectRecord(in: stored, form: RecordForm(sealedWith: Samples.sealingKey))
  }

  @Test("An item of more than 32 MiB is not a record")
  func size() async throws {
    keychain.plant(Data(repeating: UInt8(ascii: " "), count: 32 << 20 + 1), account: key.canonicalText)
    await expectFailure("it is too large") { try await StoredTokenCache(KeychainStore(keychain)).record(for: key) }
  }
}

@Suite struct TokenCacheKeyTests {
  @Test(
    "Parts are equal only byte by byte",
    arguments: [
      ("Victim42", "vICTIM42"), ("kim", "\u{212A}im"), ("ren\u{E9}", "rene\u{301}"), ("\u{C5}", "\u{212B}"),
      ("TodoApp", "todoapp"), ("https://idp.example/Prod", "https://idp.example/prod"),
    ])
  func byteExact(_ one: String, _ other: String) {
    for part in 0..<3 {
      let (left, right) = (key(one, at: part), key(other, at: part))
      #expect(left != right)
      #expect(left == TokenCacheKey(canonicalText: left.canonicalText))
      #expect(left.canonicalText != right.canonicalText)
      #expect(Set([left, right]).count == 2)
    }
  }

  private func key(_ text: String, at part: Int) -> TokenCacheKey {
    var parts = ["x", "c", "u"]
    parts[part] = text
    return TokenCacheKey(authority: parts[0], clientID: parts[1], userID: parts[2])
  }

  @Test("A key is read back from its canonical text", arguments: ["", "a|b", "%7c", "a b", "ü/\u{1F511}", "\n"])
  func canonicalText(_ odd: String) {
    let key = TokenCacheKey(authority: odd, clientID: odd + "c", userID: "x" + odd)
    #expect(TokenCacheKey(canonicalText: key.canonicalText) == key)
  }

  @Test(
    "Any other text is not a key", arguments: ["", "a|b", "a|b|c|d", "B2CConnector.probe", "a b|c|d", "a|b|%6a"])
  func otherText(_ text: String) {
    #expect(TokenCacheKey(canonicalText: text) == nil)
  }
}
