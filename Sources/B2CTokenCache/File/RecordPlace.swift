/// Where a record's file stands and which locks go with it.
struct RecordPlace: Sendable {
  let key: TokenCacheKey
  let group: RecordGroup
  let path: String
  /// The write lock's name, which is also the name of the temporary file: only the holder of the lock uses it.
  let writeLock: String
  let exclusiveLock: String

  init(_ key: TokenCacheKey, _ group: RecordGroup) {
    let fileName = group.fileName(of: key.accountID)
    self.key = key
    self.group = group
    path = group.path + "/" + fileName
    writeLock = LockNames.write(group, fileName)
    exclusiveLock = LockNames.exclusive(group, fileName, isForSpending: key.isForSpending)
  }
}
