import B2CTokenCache
import Foundation
import TestSupport

extension FuzzTarget {
  /// Token records as files hold them, plain and sealed, and keys.
  ///
  /// The first byte selects which.
  static let cache = FuzzTarget(
    name: "cache",
    parse: { _ = try? RecordForm().record(in: Array($0.dropFirst()), for: sealedKey) },
    check: checkCache)

  private static let canary = "canary-refresh-Token_0123456789"
  private static let canarySweep = SecretSweep([canary])
  private static let sealedKey = TokenCacheKey(
    authority: "https://login.contoso.com/contoso.onmicrosoft.com", clientID: "client", userID: "oid.tid")

  @Sendable private static func checkCache(_ input: [UInt8]) throws {
    let bytes = Array(input.dropFirst())
    switch (input.first ?? 0) % 4 {
    case 0, 1: try checkFile(bytes)
    case 2: try checkKey(String(decoding: bytes, as: UTF8.self))
    default: try checkSealed(bytes)
    }
  }

  private static func checkFile(_ bytes: [UInt8]) throws {
    let key: TokenCacheKey
    let record: TokenRecord
    do {
      key = try RecordForm.key(in: bytes)
      record = try RecordForm().record(in: bytes, for: key)
    } catch {
      return try check(error)
    }
    let written = try RecordForm().bytes(of: record, for: key)
    let again = try? RecordForm().record(in: written, for: key)
    try expect(again == record, "a record is not the same after it was written")
    var shown = "\(record) \(record.accessTokens)"
    dump(record, to: &shown)
    if let token = record.refreshToken?.value, token.utf8.count > 40 {
      try expect(!shown.contains(token), "a refresh token is shown")
    }
    try expect((try? RecordForm.key(in: written)) == key, "the key is not the same after it was written")
  }

  private static func checkKey(_ text: String) throws {
    if let key = TokenCacheKey(canonicalText: text) {
      try expect(key.canonicalText == text, "\(text) has two forms")
    }
    let made = TokenCacheKey(authority: text, clientID: "|%7C", userID: text)
    try expect(TokenCacheKey(canonicalText: made.canonicalText) == made, "\(text) is not read again")
  }

  // MARK: Sealed records

  private static let sealing = try? RecordForm(sealedWith: Data((0..<32).map { UInt8($0) }))

  /// A genuine sealed record.
  private static let sealed: [UInt8]? = {
    let record = TokenRecord(signedInAt: Date(timeIntervalSince1970: 0), refreshToken: Secret(canary))
    return try? sealing?.bytes(of: record, for: sealedKey)
  }()

  /// Three bytes of the input change one byte of the genuine file.
  ///
  /// An input that begins with `=` is the file itself.
  private static func checkSealed(_ bytes: [UInt8]) throws {
    guard let sealing, let sealed else { throw Failure("no sealed record") }
    var file = sealed
    if bytes.first == UInt8(ascii: "=") {
      file = Array(bytes.dropFirst())
    } else {
      for index in stride(from: 0, to: bytes.count - 2, by: 3) {
        file[(Int(bytes[index]) << 8 | Int(bytes[index + 1])) % file.count] = bytes[index + 2]
      }
    }
    do {
      // Another writing of the same file may open: letters of a stamp, bits at the end of base64. It holds the same then.
      let record = try sealing.record(in: file, for: sealedKey)
      try expect(record.refreshToken?.value == canary, "a changed record opens")
    } catch let failure as Failure {
      throw failure
    } catch {
      try expect(file != sealed, "a genuine record does not open: \(error)")
      try check(error)
    }
  }

  private static func check(_ error: any Error) throws {
    try expect(error is ConnectorError || error is DamagedRecord, "not an error of the cache: \(error)")
    try expect(canarySweep.trace(in: printed(error).utf8) == nil, "a secret is shown: \(error)")
    try expect(isPrintable("\(error)"), "a control character is shown")
  }
}
