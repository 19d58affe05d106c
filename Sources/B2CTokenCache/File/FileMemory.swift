/// What a file cache knows without asking the disk.
struct FileMemory: Sendable {
  /// A record as it was read, and the state of its file then.
  struct Entry: Sendable {
    let path: String
    let record: TokenRecord
    let stamp: FileStamp
    /// Whether a change of the file is sure to change its stamp.
    let isSettled: Bool
  }

  /// The keys of a group as they were listed, and the state of its folder then.
  struct Listing: Sendable {
    let keys: [TokenCacheKey]
    let stamp: FileStamp
    let isSettled: Bool
  }

  var entries = MemoryTable<Entry>()
  var groups: [RecordGroup.Identity: RecordGroup] = [:]
  var groupsByName: [String: RecordGroup] = [:]
  /// By the group's name.
  var listings: [String: Listing] = [:]
  /// The keys of files whose names do not tell them, by path; a name never changes its key.
  var hashedKeys: [String: TokenCacheKey] = [:]
}
