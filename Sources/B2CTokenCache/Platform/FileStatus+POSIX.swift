#if !canImport(Darwin)
  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Musl)
    internal import Musl
  #elseif canImport(Android)
    internal import Android
  #endif

  extension FileStatus {
    init(_ status: stat) {
      self.init(
        kind: Kind(rawValue: UInt32(status.st_mode) & UInt32(S_IFMT)), mode: UInt32(status.st_mode) & 0o7777,
        owner: UInt32(status.st_uid),
        stamp: FileStamp(
          device: UInt64(status.st_dev), file: UInt64(status.st_ino), size: Int64(status.st_size),
          modified: .init(status.st_mtim.tv_sec, status.st_mtim.tv_nsec),
          changed: .init(status.st_ctim.tv_sec, status.st_ctim.tv_nsec)))
    }
  }
#endif
