import B2CTokenCache
import Foundation

/// Records that show by themselves whether they are whole: everything in them follows from one number.
enum ProofRecord {
  static func key(_ user: String, policy: String = "b2c_1_proof") -> TokenCacheKey {
    TokenCacheKey(
      authority: "https://contoso.b2clogin.com/contoso.onmicrosoft.com", policy: policy,
      clientID: "11111111-2222-3333-4444-555555555555", userID: user)
  }

  /// A record of a number; its size changes with the number, up to 64 KB.
  static func record(_ number: Int, size: Int? = nil) -> TokenRecord {
    let length = size ?? 200 + number &* 7919 % 64_000
    let date = Date(timeIntervalSince1970: 1_767_225_600 + Double(number))
    return TokenRecord(
      refreshToken: Secret("refresh-\(number)"), idToken: Secret("id-\(number)"),
      claims: ["number": .integer(Int64(number)), "size": .integer(Int64(length))],
      accessTokens: [
        CachedAccessToken(
          token: Secret(text(number, length)), scopes: ["tasks"], receivedAt: date,
          expiresAt: date.addingTimeInterval(3600))
      ], signedInAt: date)
  }

  /// The number of a record that is whole; `nil` when its parts do not belong together.
  static func number(_ record: TokenRecord) -> Int? {
    guard case .integer(let number) = record.claims["number"], case .integer(let size) = record.claims["size"] else {
      return nil
    }
    return record == self.record(Int(number), size: Int(size)) ? Int(number) : nil
  }

  private static func text(_ number: Int, _ length: Int) -> String {
    let part = "token-\(number)-"
    return String(String(repeating: part, count: length / part.count + 1).prefix(length))
  }
}
