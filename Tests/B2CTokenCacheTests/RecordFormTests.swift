import B2CCore
import B2CTokenCache
import Foundation
import TestSupport
import Testing

@Suite struct RecordFormTests {
  private let keychain = DictionaryKeychain(isShared: true)
  private let key = TokenCacheKey(authority: "https://a/b", clientID: "c", userID: "u")

  @Test("The stored form of an item never changes")
  func plain() async throws {
    let record = TokenRecord(signIn: Samples.uuid, stamp: Samples.uuid, signedInAt: Samples.date(0))
    let cache = StoredTokenCache(KeychainStore(keychain))
    try await cache.store(record, for: key)
    let stored = """
      {"b2cTokenRecord":1,"key":{"authority":"https://a/b","clientID":"c","userID":"u"},"position":0,"record":{"position":0,\
      "session":"11000000-0000-4000-8000-000000000022","since":1767225600,\
      "stamp":"11000000-0000-4000-8000-000000000022","v":1}}
      """
    #expect(try sorted(try #require(keychain.contents[key.canonicalText])) == stored)
    keychain.plant(Data(stored.utf8), account: key.canonicalText)
    #expect(try await cache.record(for: key) == record)
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
    let cache = StoredTokenCache(KeychainStore(keychain), form: try RecordForm(sealedWith: Samples.sealingKey))
    keychain.plant(Data(stored.utf8), account: key.canonicalText)
    let record = TokenRecord(signIn: Samples.uuid, stamp: Samples.uuid, signedInAt: Samples.date(0))
    #expect(try await cache.record(for: key) == record)
  }

  @Test("An item of more than 32 MiB is not a record")
  func size() async throws {
    let cache = StoredTokenCache(KeychainStore(keychain))
    keychain.plant(Data(repeating: UInt8(ascii: " "), count: 32 << 20 + 1), account: key.canonicalText)
    await expectFailure("it is too large", isRetryable: false) { [key] in _ = try await cache.record(for: key) }
  }

  private func sorted(_ data: Data) throws -> String {
    let object = try JSONSerialization.jsonObject(with: data)
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try JSONSerialization.data(withJSONObject: object, options: options), as: UTF8.self)
  }
}
