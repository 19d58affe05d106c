/// Records by key, with what they have in common kept once.
struct MemoryTable<Entry: Sendable>: Sendable {
  private var entries: [TokenCacheKey: Entry] = [:]
  private var parts = SharedParts()

  var keys: [TokenCacheKey] { Array(entries.keys) }

  subscript(_ key: TokenCacheKey) -> Entry? { entries[key] }

  /// Puts an entry under a key; the body makes it of the record in its shared form.
  mutating func put(_ record: TokenRecord, for key: TokenCacheKey, _ entry: (TokenRecord) -> Entry) {
    let shared = entry(parts.share(record))
    // A key that is there stays the one that is shared.
    if entries[key] != nil { entries[key] = shared } else { entries[parts.share(key)] = shared }
  }

  mutating func remove(_ key: TokenCacheKey) {
    entries[key] = nil
  }
}
