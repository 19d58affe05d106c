/// What the file system says about a path.
struct FileStatus: Sendable {
  /// What stands there, by the file type bits of POSIX.
  struct Kind: RawRepresentable, Equatable, Sendable {
    let rawValue: UInt32

    static let regularFile = Kind(rawValue: 0o100000)
    static let folder = Kind(rawValue: 0o040000)
    static let symbolicLink = Kind(rawValue: 0o120000)
  }

  let kind: Kind
  /// The permission bits.
  let mode: UInt32
  let owner: UInt32
  let stamp: FileStamp
}
