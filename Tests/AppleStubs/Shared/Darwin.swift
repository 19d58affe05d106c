// swift-format-ignore-file
// What Darwin has and the C library of Linux has not, or has with another type.
@_exported import Glibc

public let SOCK_STREAM: Int32 = 1
public let SO_NOSIGPIPE: Int32 = 0x1022
public let F_FULLFSYNC: Int32 = 51

extension stat {
  public var st_mtimespec: timespec { st_mtim }
  public var st_ctimespec: timespec { st_ctim }
}
