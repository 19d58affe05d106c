internal import B2CCore
internal import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import Crypto
#endif

/// The place of a refresh token that is kept apart from its record, and given out only after the user has agreed.
///
/// A record carries it through every wrapper of a cache.
package struct ProtectedRefreshToken: Sendable {
  /// The number of the item; a later token has a higher one.
  let generation: Int
  /// Tells one token from another without showing any.
  let fingerprint: String
  /// Asks the user; `nil` where the record did not come from the cache that keeps the token.
  var reader: (@Sendable () async throws -> Secret?)?

  init(generation: Int, fingerprint: String) {
    self.generation = generation
    self.fingerprint = fingerprint
  }

  init(_ token: Secret, generation: Int) {
    self.init(generation: generation, fingerprint: Self.fingerprint(of: token))
  }

  static func fingerprint(of token: Secret) -> String {
    let hash = SHA256.hash(data: Data("b2c-refresh-token|\(token.value)".utf8))
    return Base64URL.encode(Data(hash.prefix(16)))
  }

  // MARK: The stored form

  /// Reads the stored form, `<generation>.<fingerprint>`.
  init?(stored text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let generation = Int(parts[0]), Base64URL.decode(parts[1])?.count == 16 else { return nil }
    self.init(generation: generation, fingerprint: String(parts[1]))
  }

  var stored: String { "\(generation).\(fingerprint)" }
}

extension ProtectedRefreshToken: Hashable {
  /// Compares what is stored; how it is read is no part of it.
  package static func == (left: ProtectedRefreshToken, right: ProtectedRefreshToken) -> Bool {
    left.generation == right.generation && left.fingerprint == right.fingerprint
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(generation)
    hasher.combine(fingerprint)
  }
}

extension TokenRecord {
  /// Whether there is a refresh token, with the record or apart from it.
  package var hasRefreshToken: Bool { refreshToken != nil || protectedRefreshToken != nil }

  /// Whether another record has the same refresh token, or neither has one; the user is not asked.
  package func hasRefreshToken(of other: TokenRecord) -> Bool {
    if protectedRefreshToken == nil, other.protectedRefreshToken == nil { return refreshToken == other.refreshToken }
    return refreshTokenFingerprint == other.refreshTokenFingerprint
  }

  /// Whether another record is of the same sign-in and has the same refresh token.
  package func isSameSession(as other: TokenRecord) -> Bool {
    signedInAt == other.signedInAt && hasRefreshToken(of: other)
  }

  private var refreshTokenFingerprint: String? {
    protectedRefreshToken?.fingerprint ?? refreshToken.map(ProtectedRefreshToken.fingerprint)
  }

  /// Returns the refresh token; asks the user where it is protected.
  ///
  /// - Returns: The token; `nil` when there is none, or when the protected one is gone for good.
  /// - Throws: ``TokenCacheError`` of the cache that keeps it, which says why it was not given; `CancellationError`.
  package func refreshTokenAskingUser() async throws -> Secret? {
    guard let protectedRefreshToken else { return refreshToken }
    guard let reader = protectedRefreshToken.reader else {
      throw TokenCacheError(
        .unreadable, "The refresh token is in a protected keychain item, which this cache does not read.",
        recoverySuggestion: "Use the KeychainTokenCache that has stored it, or sign in again.")
    }
    return try await reader()
  }
}
