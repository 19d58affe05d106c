#if canImport(Darwin)
  internal import Darwin

  extension FileStatus {
    init(_ status: stat) {
      self.init(
        kind: Kind(rawValue: UInt32(status.st_mode & S_IFMT)), mode: UInt32(status.st_mode & 0o7777),
        owner: status.st_uid,
        stamp: FileStamp(
          device: UInt64(bitPattern: Int64(status.st_dev)), file: UInt64(status.st_ino), size: Int64(status.st_size),
          modified: .init(status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec),
          changed: .init(status.st_ctimespec.tv_sec, status.st_ctimespec.tv_nsec)))
    }
  }
#endif
