import B2CCore
import Foundation
import TestSupport

@testable import B2CTokenCache

extension FuzzTarget {
  /// Token records as files hold them, keys, and the encrypted envelope.
  ///
  /// The first byte selects which.
  static let cache = FuzzTarget(
    name: "cache",
    parse: { input in
      let bytes = Array(input.dropFirst())
      _ = try? RecordFile.record(in: bytes, for: envelopeKey)
    }, check: checkCache)

  private static let canary = "canary-refresh-Token_0123456789"
  private static let canarySearch = SecretSearch([canary], width: 8)
  private static let envelopeKey = TokenCacheKey(
    authority: "https://login.contoso.com/contoso.onmicrosoft.com", policy: "b2c_1_signin", clientID: "client",
    userID: "oid.tid")

  @Sendable private static func checkCache(_ input: [UInt8]) throws {
    let bytes = Array(input.dropFirst())
    switch (input.first ?? 0) % 4 {
    case 0, 1: try checkFile(bytes)
    case 2: try checkKey(String(decoding: bytes, as: UTF8.self))
    default: try checkEnvelope(bytes)
    }
  }

  private static func checkFile(_ bytes: [UInt8]) throws {
    let key: TokenCacheKey
    let record: TokenRecord
    do throws(TokenCacheError) {
      key = try RecordFile.key(in: bytes)
      record = try RecordFile.record(in: bytes, for: key)
    } catch {
      return try check(error)
    }
    guard let written = try? RecordFile(record, for: key).bytes() else {
      throw Broken("a record that cannot be written")
    }
    let again = try? RecordFile.record(in: written, for: key)
    try expect(again == record, "a record is not the same after it was written")
    var shown = "\(record) \(record.accessTokens)"
    dump(record, to: &shown)
    if let token = record.refreshToken?.value, token.utf8.count > 40 {
      try expect(!shown.contains(token), "a refresh token is shown")
    }
    try expect((try? RecordFile.key(in: written)) == key, "the key is not the same after it was written")
  }

  private static func checkKey(_ text: String) throws {
    if let key = TokenCacheKey(canonicalText: text) {
      try expect(key.canonicalText == text, "\(text) has two forms")
    }
    let made = TokenCacheKey(authority: text, policy: "", clientID: "|%7C", userID: text)
    try expect(TokenCacheKey(canonicalText: made.canonicalText) == made, "\(text) is not read again")
  }

  // MARK: The envelope

  private static let encryptionKey = try? EncryptionKey(bytes: Data((0..<32).map { UInt8($0) }))

  /// A genuine envelope, with the cache that it is in.
  private static let envelope: (text: String, cache: EncryptedTokenCache, store: InMemoryTokenCache)? = {
    guard let encryptionKey else { return nil }
    let store = InMemoryTokenCache()
    let cache = EncryptedTokenCache(wrapping: store, key: encryptionKey)
    let record = TokenRecord(refreshToken: Secret(canary), signedInAt: Date(timeIntervalSince1970: 0))
    let carrier: TokenRecord? = waiting {
      try? await cache.store(record, for: envelopeKey)
      return await store.record(for: envelopeKey)
    }
    return carrier?.sealed.map { ($0, cache, store) }
  }()

  /// Two bytes of the input change one byte of the genuine envelope; an input that begins with `=` is the envelope.
  private static func checkEnvelope(_ bytes: [UInt8]) throws {
    guard let envelope else { throw Broken("no envelope") }
    var text = Array(envelope.text.utf8)
    if bytes.first == UInt8(ascii: "=") {
      text = Array(bytes.dropFirst())
    } else {
      for index in stride(from: 0, to: bytes.count - 1, by: 2) {
        text[Int(bytes[index]) % text.count] = bytes[index + 1]
      }
    }
    var carrier = TokenRecord(signedInAt: Date(timeIntervalSince1970: 0))
    carrier.sealed = String(decoding: text, as: UTF8.self)
    let planted = carrier
    let result: Result<TokenRecord?, any Error> = waiting {
      do {
        await envelope.store.store(planted, for: envelopeKey)
        return .success(try await envelope.cache.record(for: envelopeKey))
      } catch {
        return .failure(error)
      }
    }
    let isGenuine = text == Array(envelope.text.utf8)
    switch result {
    case .success(let record):
      try expect(isGenuine && record?.refreshToken?.value == canary, "a changed envelope opens")
    case .failure(let error):
      try expect(!isGenuine, "a genuine envelope does not open: \(error)")
      guard let error = error as? TokenCacheError else { throw Broken("not a TokenCacheError: \(error)") }
      try check(error)
    }
  }

  private static func check(_ error: TokenCacheError) throws {
    var shown = "\(error) \(error.localizedDescription)"
    dump(error, to: &shown)
    try expectHidden(canarySearch, in: shown)
    try expect("\(error)".unicodeScalars.allSatisfy { $0.value >= 0x20 }, "a control character is shown")
  }
}
