import B2CTokenCache
import Foundation
import TestSupport

/// Records that show by themselves whether they are whole: everything in them but the stamp follows from one number.
enum ProofRecord {
  private static let signIn = UUID()

  static func key(_ user: String, client: String = "11111111-2222-3333-4444-555555555555") -> TokenCacheKey {
    TokenCacheKey(
      authority: "https://contoso.b2clogin.com/contoso.onmicrosoft.com", clientID: client, userID: user)
  }

  /// A record of a number; its size changes with the number, up to 64 KB.
  static func record(
    _ number: Int, size: Int? = nil, signIn: UUID = signIn, stamp: UUID = UUID()
  ) -> TokenRecord {
    let length = size ?? 200 + number &* 7919 % 64_000
    let date = Date(timeIntervalSince1970: 1_767_225_600 + Double(number))
    return TokenRecord(
      signIn: signIn, stamp: stamp, signedInAt: date,
      claims: ["number": .integer(Int64(number)), "size": .integer(Int64(length))], idToken: Secret("id-\(number)"),
      refreshToken: Secret("refresh-\(number)"),
      accessTokens: [
        CachedAccessToken(
          token: Secret(text(number, length)), scopes: ["tasks"], receivedAt: date,
          expiresAt: date.addingTimeInterval(3600))
      ])
  }

  /// The number of a record that is whole; `nil` when its parts do not belong together.
  static func number(_ record: TokenRecord) -> Int? {
    guard case .integer(let number) = record.claims["number"], case .integer(let size) = record.claims["size"] else {
      return nil
    }
    let whole = self.record(Int(number), size: Int(size), signIn: record.signIn, stamp: record.stamp)
    return record == whole ? Int(number) : nil
  }

  private static func text(_ number: Int, _ length: Int) -> String {
    let part = "token-\(number)-"
    return String(String(repeating: part, count: length / part.count + 1).prefix(length))
  }
}

extension SharedTokenCache {
  /// The number of a record that is there and whole.
  func number(for key: TokenCacheKey) async throws -> Int? {
    try await record(for: key).flatMap { ProofRecord.number($0) }
  }

  /// Adds one to the number of a record, which must exist, by replacements until one takes place.
  func addOne(to key: TokenCacheKey, size: Int) async throws {
    let stamp = UUID()
    while let old = try await record(for: key) {
      // The replacement took place, but its answer was lost.
      if old.stamp == stamp { return }
      guard let number = ProofRecord.number(old) else { throw Failure("the record of \(key.userID) is not whole") }
      let new = ProofRecord.record(number + 1, size: size, stamp: stamp)
      if try await replace(key, expecting: old.stamp, with: new) { return }
    }
    throw Failure("the record of \(key.userID) is gone")
  }
}
