import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The rights of a process, given up or used.
enum Privileges {
  /// The user that owns nothing.
  private static let nobody: UInt32 = 65_534

  static var isRoot: Bool { geteuid() == 0 }

  /// Goes on as a user without rights, when this is the superuser.
  static func drop() throws {
    guard isRoot else { return }
    guard setgid(nobody) == 0, setuid(nobody) == 0, geteuid() == nobody else {
      throw ProofError("the superuser's rights cannot be given up")
    }
  }

  /// Gives a folder to the user without rights, when this is the superuser.
  static func give(_ path: String) throws {
    guard isRoot else { return }
    guard chown(path, nobody, nobody) == 0 else { throw ProofError("\(path) cannot be given away") }
  }

  static func mount(_ path: String, _ options: String) -> Bool {
    run("/bin/mount", ["-t", "tmpfs", "-o", options, "tmpfs", path])
  }

  static func remount(_ path: String, _ options: String) -> Bool {
    run("/bin/mount", ["-o", "remount," + options, path])
  }

  static func unmount(_ path: String) {
    _ = run("/bin/umount", [path])
  }

  private static func run(_ program: String, _ arguments: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
