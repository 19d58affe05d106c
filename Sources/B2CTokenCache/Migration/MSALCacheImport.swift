public import Foundation

/// Reads the cache that Microsoft's libraries (MSAL for Python, Java, .NET and Node) write as JSON, so that people can move
/// over without signing in anew.
///
/// Nothing is written to the file. The format is the libraries' common one: an object with the members `AccessToken`,
/// `RefreshToken`, `IdToken`, `Account` and `AppMetadata`, each a dictionary of entries.
///
/// ```swift
/// let imported = try MSALCacheImport(Data(contentsOf: file), authority: "https://contoso.b2clogin.com/contoso.onmicrosoft.com")
/// try await imported.store(in: cache)
/// ```
public struct MSALCacheImport: Sendable {
  /// One record as it will be stored.
  public struct Entry: Sendable {
    /// The key it will stand under.
    public let key: TokenCacheKey
    /// The record.
    public let record: TokenRecord
  }

  /// The records that were found, one for each account, policy and client.
  public let entries: [Entry]
  /// What was left out and why, in words without secrets.
  public let skipped: [String]

  /// Reads a serialized cache.
  ///
  /// - Parameters:
  ///   - data: The file's content, decrypted.
  ///   - authority: The authority as this package's keys have it, `https://<host>/<tenant>`. It is used for the entries
  ///     of the same host, because the old cache may know the tenant by its id and the settings by its name. When `nil`,
  ///     for other hosts, and for further tenants that the person has visited as a guest, the authority is made of the
  ///     entry's host and tenant.
  ///   - now: The wall clock; access tokens that have ended are left out.
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/damaged`` when the data is no such cache.
  public init(
    _ data: Data, authority: String? = nil, now: @Sendable () -> Date = { Date() }
  ) throws(TokenCacheError) {
    guard let root = try? JSONDecoder().decode(JSONValue.self, from: data), let members = root.object,
      MSALSection.allCases.contains(where: { members[$0.rawValue]?.object != nil })
    else {
      throw TokenCacheError(
        .damaged, "The data is no token cache of MSAL in JSON.",
        recoverySuggestion: "On Windows and macOS the libraries' extensions encrypt the file; have the library "
          + "serialize its cache (Python: SerializableTokenCache.serialize()) and read that.")
    }
    var reader = MSALCacheReader(authority: authority, now: now())
    for section in MSALSection.allCases {
      for (_, value) in (members[section.rawValue]?.object ?? [:]).sorted(by: { $0.key < $1.key }) {
        if let fields = value.object { reader.read(MSALEntry(fields), in: section) }
      }
    }
    (entries, skipped) = reader.finish()
  }

  /// Stores the records in a cache; those that are there from the same or a later sign-in stay.
  ///
  /// - Parameter cache: The cache to write to.
  /// - Returns: How many records were stored.
  /// - Throws: The cache's error; the records that were stored until then stay.
  @discardableResult
  public func store(in cache: any TokenCache) async throws -> Int {
    var count = 0
    for entry in entries {
      if let present = try await cache.record(for: entry.key), present.signedInAt >= entry.record.signedInAt {
        continue
      }
      try await cache.store(entry.record, for: entry.key)
      count += 1
    }
    return count
  }
}
