/// What a migration did with each key.
public struct TokenCacheMigrationReport: Sendable {
  /// A record that could not be moved and is where it was.
  public struct Failure: Sendable {
    /// The record's key.
    public let key: TokenCacheKey
    /// Why it could not be moved.
    public let error: any Error
  }

  /// Keys whose records are in the new cache now.
  public internal(set) var moved: [TokenCacheKey] = []
  /// Keys whose records were in the new cache already, from the same or a later sign-in.
  public internal(set) var alreadyThere: [TokenCacheKey] = []
  /// Keys whose records stay in the old cache.
  public internal(set) var failed: [Failure] = []
}
