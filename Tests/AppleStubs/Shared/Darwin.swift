// swift-format-ignore-file
// What the package uses of Darwin's C library, with Darwin's widths and numbers (64-bit systems). It hands on nothing of
// the C library that this compiler runs on, so a name that only Linux has is refused.

public typealias mode_t = UInt16
public typealias dev_t = Int32
public typealias ino_t = UInt64
public typealias uid_t = UInt32
public typealias pid_t = Int32
public typealias off_t = Int64
public typealias nfds_t = UInt32
public typealias socklen_t = UInt32
public typealias sa_family_t = UInt8

public struct timespec {
  public var tv_sec: Int = 0
  public var tv_nsec: Int = 0
}

public struct timeval {
  public init(tv_sec: Int, tv_usec: Int32) {}
}

public struct stat {
  public var st_dev: dev_t = 0
  public var st_mode: mode_t = 0
  public var st_ino: ino_t = 0
  public var st_uid: uid_t = 0
  public var st_mtimespec = timespec()
  public var st_ctimespec = timespec()
  public var st_size: off_t = 0
  public init() {}
}

public struct DIR {}

public struct rusage {
  public var ru_maxrss: Int = 0
  public init() {}
}

public struct dirent {
  public var d_name: (CChar, CChar, CChar, CChar) = (0, 0, 0, 0)  // 1024 of them.
}

public struct pollfd {
  public var fd: Int32
  public var events: Int16
  public var revents: Int16
  public init(fd: Int32, events: Int16, revents: Int16) {
    self.fd = fd
    self.events = events
    self.revents = revents
  }
}

public struct linger: BitwiseCopyable {
  public var l_onoff: Int32
  public var l_linger: Int32
  public init(l_onoff: Int32, l_linger: Int32) {
    self.l_onoff = l_onoff
    self.l_linger = l_linger
  }
}

public struct sockaddr {}
public struct sockaddr_in {}
public struct sockaddr_in6 {}

public struct sockaddr_storage {
  public var ss_len: UInt8 = 0
  public var ss_family: sa_family_t = 0
  public init() {}
}

public struct addrinfo {
  public var ai_flags: Int32 = 0
  public var ai_family: Int32 = 0
  public var ai_socktype: Int32 = 0
  public var ai_addrlen: socklen_t = 0
  public var ai_addr: UnsafeMutablePointer<sockaddr>!
  public init() {}
}

public var errno: Int32 {
  get { 0 }
  set {}
}

@discardableResult public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { -1 }
@discardableResult public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { -1 }
@discardableResult public func close(_ fd: Int32) -> Int32 { -1 }
@discardableResult public func read(_ fd: Int32, _ buffer: UnsafeMutableRawPointer!, _ count: Int) -> Int { -1 }
@discardableResult public func write(_ fd: Int32, _ buffer: UnsafeRawPointer!, _ count: Int) -> Int { -1 }
@discardableResult public func fcntl(_ fd: Int32, _ cmd: Int32) -> Int32 { -1 }
@discardableResult public func fcntl(_ fd: Int32, _ cmd: Int32, _ value: Int32) -> Int32 { -1 }
@discardableResult public func flock(_ fd: Int32, _ operation: Int32) -> Int32 { -1 }
@discardableResult public func fsync(_ fd: Int32) -> Int32 { -1 }
@discardableResult public func fchmod(_ fd: Int32, _ mode: mode_t) -> Int32 { -1 }
@discardableResult public func fstat(_ fd: Int32, _ status: UnsafeMutablePointer<stat>!) -> Int32 { -1 }
@discardableResult public func lstat(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!) -> Int32 { -1 }
@discardableResult public func mkfifo(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32 { -1 }
@discardableResult public func unlink(_ path: UnsafePointer<CChar>!) -> Int32 { -1 }
@discardableResult public func mkdir(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32 { -1 }
@discardableResult public func rename(_ from: UnsafePointer<CChar>!, _ to: UnsafePointer<CChar>!) -> Int32 { -1 }
@discardableResult public func opendir(_ path: UnsafePointer<CChar>!) -> UnsafeMutablePointer<DIR>! { nil }
@discardableResult public func readdir(_ directory: UnsafeMutablePointer<DIR>!) -> UnsafeMutablePointer<dirent>! { nil }
@discardableResult public func closedir(_ directory: UnsafeMutablePointer<DIR>!) -> Int32 { -1 }
@discardableResult public func strlen(_ text: UnsafePointer<CChar>!) -> Int { 0 }
@discardableResult public func strstr(
  _ text: UnsafePointer<CChar>!, _ part: UnsafePointer<CChar>!
) -> UnsafeMutablePointer<CChar>! { nil }
public func exit(_ status: Int32) -> Never { exit(status) }
public func strerror(_ number: Int32) -> UnsafeMutablePointer<CChar>! { nil }
@discardableResult public func setenv(
  _ name: UnsafePointer<CChar>!, _ value: UnsafePointer<CChar>!, _ overwrite: Int32
) -> Int32 { -1 }
public func geteuid() -> uid_t { 0 }
@discardableResult public func getrusage(_ who: Int32, _ usage: UnsafeMutablePointer<rusage>!) -> Int32 { -1 }
@discardableResult public func kill(_ process: pid_t, _ signal: Int32) -> Int32 { -1 }

@discardableResult public func getaddrinfo(
  _ host: UnsafePointer<CChar>!, _ service: UnsafePointer<CChar>!, _ hints: UnsafePointer<addrinfo>!,
  _ result: UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>!
) -> Int32 { -1 }
public func freeaddrinfo(_ list: UnsafeMutablePointer<addrinfo>!) {}

@discardableResult public func socket(_ domain: Int32, _ kind: Int32, _ protocol: Int32) -> Int32 { -1 }
@discardableResult public func socketpair(
  _ domain: Int32, _ kind: Int32, _ protocol: Int32, _ ends: UnsafeMutablePointer<Int32>!
) -> Int32 { -1 }
@discardableResult public func bind(_ fd: Int32, _ address: UnsafePointer<sockaddr>!, _ length: socklen_t) -> Int32 { -1 }
public func connect(_ fd: Int32, _ address: UnsafePointer<sockaddr>!, _ length: socklen_t) -> Int32 { -1 }
@discardableResult public func listen(_ fd: Int32, _ backlog: Int32) -> Int32 { -1 }
@discardableResult public func accept(
  _ fd: Int32, _ address: UnsafeMutablePointer<sockaddr>!, _ length: UnsafeMutablePointer<socklen_t>!
) -> Int32 { -1 }
@discardableResult public func getsockname(
  _ fd: Int32, _ address: UnsafeMutablePointer<sockaddr>!, _ length: UnsafeMutablePointer<socklen_t>!
) -> Int32 { -1 }
@discardableResult public func setsockopt(
  _ fd: Int32, _ level: Int32, _ name: Int32, _ value: UnsafeRawPointer!, _ length: socklen_t
) -> Int32 { -1 }
@discardableResult public func send(_ fd: Int32, _ buffer: UnsafeRawPointer!, _ count: Int, _ flags: Int32) -> Int { -1 }
public func recv(_ fd: Int32, _ buffer: UnsafeMutableRawPointer!, _ count: Int, _ flags: Int32) -> Int { -1 }
@discardableResult public func shutdown(_ fd: Int32, _ how: Int32) -> Int32 { -1 }
public func poll(_ entries: UnsafeMutablePointer<pollfd>!, _ count: nfds_t, _ timeout: Int32) -> Int32 { -1 }

public let O_RDONLY: Int32 = 0x0000
public let O_WRONLY: Int32 = 0x0001
public let O_RDWR: Int32 = 0x0002
public let O_NONBLOCK: Int32 = 0x0004
public let O_NOFOLLOW: Int32 = 0x0100
public let O_CREAT: Int32 = 0x0200
public let O_EXCL: Int32 = 0x0800
public let O_DIRECTORY: Int32 = 0x0010_0000
public let O_CLOEXEC: Int32 = 0x0100_0000
public let F_SETFD: Int32 = 2
public let F_GETFL: Int32 = 3
public let F_SETFL: Int32 = 4
public let F_FULLFSYNC: Int32 = 51
public let FD_CLOEXEC: Int32 = 1
public let LOCK_EX: Int32 = 2
public let LOCK_NB: Int32 = 4
public let RUSAGE_SELF: Int32 = 0
public let SIGKILL: Int32 = 9
public let S_IFMT: mode_t = 0o170000

public let AF_UNIX: Int32 = 1
public let AF_INET: Int32 = 2
public let AF_INET6: Int32 = 30
public let SOCK_STREAM: Int32 = 1
public let SOL_SOCKET: Int32 = 0xffff
public let SOMAXCONN: Int32 = 128
public let SO_REUSEADDR: Int32 = 0x0004
public let SO_LINGER: Int32 = 0x0080
public let SO_SNDTIMEO: Int32 = 0x1005
public let SO_RCVTIMEO: Int32 = 0x1006
public let SO_NOSIGPIPE: Int32 = 0x1022
public let AI_NUMERICHOST: Int32 = 0x0000_0004
public let IPPROTO_TCP: Int32 = 6
public let IPPROTO_IPV6: Int32 = 41
public let IPV6_V6ONLY: Int32 = 27
public let TCP_NODELAY: Int32 = 0x01
public let SHUT_RD: Int32 = 0
public let SHUT_WR: Int32 = 1
public let SHUT_RDWR: Int32 = 2
public let POLLIN: Int32 = 0x0001
public let POLLOUT: Int32 = 0x0004

public let EPERM: Int32 = 1
public let ENOENT: Int32 = 2
public let EINTR: Int32 = 4
public let EACCES: Int32 = 13
public let EEXIST: Int32 = 17
public let ENOTDIR: Int32 = 20
public let EFBIG: Int32 = 27
public let ENOSPC: Int32 = 28
public let EROFS: Int32 = 30
public let EMLINK: Int32 = 31
public let EAGAIN: Int32 = 35
public let EWOULDBLOCK: Int32 = 35
public let EADDRINUSE: Int32 = 48
public let ELOOP: Int32 = 62
public let EDQUOT: Int32 = 69
