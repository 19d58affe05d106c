import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

@Suite struct AppContainersTests {
  private let temporary: TemporaryDirectory

  init() throws {
    temporary = try TemporaryDirectory()
  }

  @Test(
    "The container of a path is the app's home or a group's directory, on a device and in the simulator",
    arguments: [
      ("/var/mobile/Containers/Data/Application/A", "/Library/Application Support/tokens"),
      ("/private/var/mobile/Containers/Data/Application/A", "/tokens"),
      ("/var/mobile/Containers/Data/Application/A", ""),
      ("/private/var/mobile/Containers/Shared/AppGroup/G", "/Library/Tokens"),
      ("/var/mobile/Containers/Shared/AppGroup/G", "/tokens"),
      ("/Users/me/Library/Developer/CoreSimulator/Devices/D/data/Containers/Shared/AppGroup/G", "/tokens"),
      ("", "/var/mobile/Containers/Data/Application/B/tokens"), ("", "/var/mobile/Containers/Data/Application/AB"),
      ("", "/var/mobile/Containers/Data"), ("", "/var/mobile/Containers/Shared/AppGroup"), ("", "/data/AppGroup/G/x"),
      ("", "/"),
    ])
  func depth(_ container: String, _ rest: String) {
    for home in ["/var/mobile/Containers/Data/Application/A", "/private/var/mobile/Containers/Data/Application/A"] {
      let depth = AppContainers(home: home).depth(of: (container + rest).split(separator: "/"))
      #expect(depth == container.split(separator: "/").count)
    }
  }

  @Test("In a container nothing above it is looked at, whatever its owner; what is inside is checked as everywhere")
  func cache() async throws {
    let home = temporary.url.appendingPathComponent("a/home").path
    let place = URL(fileURLWithPath: home + "/Library/Caches/tokens")
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    let looks = Locked<[String]>([])
    let isOpen = Locked(false)
    let files = WatchedFileSystem { path, status in
      looks.withLock { $0.append(path) }
      var status = status
      if !path.hasPrefix(home + "/") { status.owner = 65_534 }
      if path == home + "/Library", isOpen.withLock({ $0 }) { status.mode = 0o777 }
      return status
    }
    let open = { (containers: AppContainers?) in
      _ = try FileTokenCache(directory: place, now: { Date() }, files: files, containers: containers)
    }
    expectError(TokenCacheError.self, .insecurePermissions) { try open(nil) }
    looks.withLock { $0 = [] }
    try open(AppContainers(home: home))
    try open(AppContainers(home: home))
    let outside = looks.withLock { $0 }.filter { !$0.hasPrefix(home + "/") }
    #expect(outside.isEmpty)
    isOpen.withLock { $0 = true }
    expectError(TokenCacheError.self, .insecurePermissions) { try open(AppContainers(home: home)) }
  }

  @Test("A symbolic link into the container starts there again; one out of it is checked from the root")
  func links() throws {
    let home = temporary.url.appendingPathComponent("home")
    let elsewhere = temporary.url.appendingPathComponent("elsewhere")
    for place in [home.appendingPathComponent("real"), elsewhere] {
      try FileManager.default.createDirectory(
        at: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    let files = WatchedFileSystem { path, status in
      var status = status
      if path == temporary.url.path { status.owner = 65_534 }
      return status
    }
    for (target, isAccepted) in [(home.appendingPathComponent("real"), true), (elsewhere, false)] {
      let link = home.appendingPathComponent("link")
      try? FileManager.default.removeItem(at: link)
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
      let open = {
        _ = try FileTokenCache(
          directory: link.appendingPathComponent("tokens"), now: { Date() }, files: files,
          containers: AppContainers(home: home.path))
      }
      if isAccepted {
        #expect(throws: Never.self) { try open() }
      } else {
        expectError(TokenCacheError.self, .insecurePermissions) { try open() }
      }
    }
  }
}
