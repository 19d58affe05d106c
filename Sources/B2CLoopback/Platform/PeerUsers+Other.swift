#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Android)
  internal import Android
#endif

#if !os(Linux)
  extension PeerUsers {
    /// Other systems do not tell the user of a TCP connection: every client of this machine is trusted.
    package static let system = PeerUsers(sources: [{ _, _ in [Entry(state: 1, user: ownUser, inode: 1)] }])

    static var ownUser: UInt32 { getuid() }
  }
#endif
