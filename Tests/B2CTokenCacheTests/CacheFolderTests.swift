import B2CTokenCache
import Foundation
import Testing

@Suite struct CacheFolderTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test(arguments: [0o777, 0o770, 0o720, 0o1777])
  func aFolderThatOthersCanWriteIsRefused(_ mode: Int) throws {
    try FileManager.default.createDirectory(at: folder.store, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.store.path)
    let error = #expect(throws: TokenCacheError.self) { try FileTokenCache(directory: folder.store) }
    #expect(error?.code == .insecurePermissions)
    #expect(error?.recoverySuggestion?.contains("chmod 700 \(folder.store.path)") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.store.path).isEmpty)
  }

  @Test func aFolderThatOthersCanOnlyReadWillDo() async throws {
    try FileManager.default.createDirectory(at: folder.store, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.store.path)
    let cache = try FileTokenCache(directory: folder.store)
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }

  @Test(arguments: ["", "locks", "temporary"])
  func aSymbolicLinkInAFoldersPlaceIsRefused(_ part: String) throws {
    let target = folder.url.appendingPathComponent("elsewhere")
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    let place = part.isEmpty ? folder.store : folder.store.appendingPathComponent(part)
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try FileManager.default.createSymbolicLink(
      atPath: place.path.hasSuffix("/") ? String(place.path.dropLast()) : place.path, withDestinationPath: target.path)
    let error = #expect(throws: TokenCacheError.self) { try FileTokenCache(directory: folder.store) }
    #expect(error?.code == .insecurePermissions)
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.path).isEmpty)
  }

  @Test("A file where the directory should be is unwritable, and the error says so in words")
  func aFileInTheFoldersPlaceIsRefused() throws {
    try Data().write(to: folder.url.appendingPathComponent("store"))
    let error = #expect(throws: TokenCacheError.self) { try FileTokenCache(directory: folder.store) }
    #expect(error?.code == .unwritable)
    #expect(error?.localizedDescription == "\(folder.url.path)/store is not a directory.")
    #expect(error?.recoverySuggestion?.contains("Use the path of a directory") == true)
  }

  @Test func missingParentsAreMadeForTheOwnerAlone() throws {
    let deep = folder.url.appendingPathComponent("a/b/c", isDirectory: true)
    _ = try FileTokenCache(directory: deep)
    for path in ["a", "a/b", "a/b/c"] {
      #expect(try folder.mode(folder.url.appendingPathComponent(path).path) == 0o700)
    }
  }

  @Test func whatKilledWritersLeftIsRemovedAtTheNextOpen() async throws {
    let cache = try FileTokenCache(directory: folder.store)
    try await cache.store(Samples.record(), for: Samples.key)
    let stray = folder.store.appendingPathComponent("temporary/w-3")
    try Data("half a rec".utf8).write(to: stray)
    _ = try FileTokenCache(directory: folder.store)
    #expect(!FileManager.default.fileExists(atPath: stray.path))
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }

  @Test func aStrayFileInTheWayIsReplaced() async throws {
    let cache = try FileTokenCache(directory: folder.store)
    for number in 0..<64 {
      try Data("half a rec".utf8)
        .write(to: folder.store.appendingPathComponent("temporary/w-" + String(number, radix: 16)))
    }
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(try await FileTokenCache(directory: folder.store).record(for: Samples.key) == Samples.record())
    #expect(try folder.paths().filter { $0.hasPrefix("temporary/") }.isEmpty)
  }
}
