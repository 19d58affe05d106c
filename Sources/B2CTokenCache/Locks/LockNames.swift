/// Which lock file stands for which record.
///
/// Their number is fixed: a lock file can never be removed, so one for each record would leave the name of every account
/// that ever was. Records that share a lock by chance wait for one another, which is all that happens.
enum LockNames {
  private static let writePrefix = "w-"
  private static let exclusivePrefix = "x-"
  // A spending lock is held around others, so that it must be none of theirs.
  private static let spendingPrefix = "s-"
  private static let writeCount: UInt64 = 64
  private static let exclusiveCount: UInt64 = 1024

  /// The lock that is held for the few moments of one write.
  static func write(_ group: RecordGroup, _ fileName: String) -> String {
    writePrefix + String(number(group, fileName) % writeCount, radix: 16)
  }

  /// The lock that is held for the time of an exclusive access, which may wait for a network.
  static func exclusive(_ group: RecordGroup, _ fileName: String, isForSpending: Bool) -> String {
    (isForSpending ? spendingPrefix : exclusivePrefix) + String(number(group, fileName) % exclusiveCount, radix: 16)
  }

  /// Whether a name is that of a write lock.
  static func isWrite(_ name: String) -> Bool {
    name.hasPrefix(writePrefix)
  }

  /// FNV-1a: the same in every process, unlike Swift's own hashing.
  private static func number(_ group: RecordGroup, _ fileName: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for text in [group.name, fileName] {
      for byte in text.utf8 {
        hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
      }
    }
    return hash ^ hash >> 32
  }
}
