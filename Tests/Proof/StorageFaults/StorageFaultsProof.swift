import B2CTokenCache
import Foundation
import TestSupport

/// Lets storage fail in every way that can be arranged and looks whether anything was lost.
struct StorageFaultsProof: ProofCommand {
  static let name = "storage-faults"
  static let summary = "full, read-only, forbidden, planted, damaged: a typed error each, nothing lost"

  static func run(_ options: ProofOptions) async throws -> Bool {
    var table = Table("fault", "promise", "")
    var broken: [String] = []
    for fault in StorageFault.all where !(options.isQuick && fault.needsRoot) {
      let result = try play(fault, options)
      table.add(fault.name, fault.promise, result.word)
      if case .broken(let reason) = result { broken.append("\(fault.name): \(reason)") }
    }
    table.show()
    for line in broken { print("BROKEN  \(line)") }
    return broken.isEmpty
  }

  private enum Result {
    case kept, notRun(String)
    case broken(String)

    var word: String {
      switch self {
      case .kept: "kept"
      case .notRun(let reason): "not run: \(reason)"
      case .broken: "BROKEN"
      }
    }
  }

  private static func play(_ fault: StorageFault, _ options: ProofOptions) throws -> Result {
    let ground = try ProofFolder("fault")
    defer { ground.remove() }
    var isMounted = false
    if case .device(let mountOptions) = fault.ground {
      guard Privileges.isRoot else { return .notRun("needs the superuser, to mount a device") }
      guard Privileges.mount(ground.url.path, mountOptions) else { return .notRun("devices cannot be mounted here") }
      isMounted = true
    } else {
      try Privileges.give(ground.url.path)
    }
    defer { if isMounted { Privileges.unmount(ground.url.path) } }
    let child = try ChildProcess(
      StorageFaultScene.self,
      [fault.name, ground.url.appendingPathComponent("cache").path] + (options.isBroken ? ["--broken"] : []))
    let text = child.readToEnd().trimmingCharacters(in: .whitespacesAndNewlines)
    switch child.ending {
    case 0: return .kept
    case 1: return .broken(text)
    default: return .broken("the process ended with \(child.ending). \(text)")
    }
  }
}

/// One storage fault, in a process of its own: limits and users can only be changed for a whole process.
struct StorageFaultScene: ProofCommand {
  static let name = "storage-fault-scene"
  static let summary = ""

  /// The folder for the cache; next to it there is room for what else a scene needs.
  let folder: URL
  let isBroken: Bool

  static func run(_ options: ProofOptions) async throws -> Bool {
    let name = try options.value(0, "the fault")
    guard let fault = StorageFault.all.first(where: { $0.name == name }) else { throw ProofError("no fault \(name)") }
    if !fault.needsRoot { try Privileges.drop() }
    let scene = StorageFaultScene(
      folder: URL(fileURLWithPath: try options.value(1, "the folder"), isDirectory: true),
      isBroken: options.isBroken)
    do {
      try await fault.play(scene)
      return true
    } catch {
      print("\(error)")
      return false
    }
  }

  func open(now: @escaping @Sendable () -> Date = { Date() }) throws -> any SharedTokenCache {
    isBroken
      ? try CarelessTokenCache(directory: folder)
      : try FileTokenCache(directory: folder, lockTimeout: .seconds(1), now: now)
  }

  /// A file or folder beside the cache's.
  func beside(_ name: String) -> URL {
    folder.deletingLastPathComponent().appendingPathComponent(name)
  }

  /// The paths of everything in the cache's folder.
  func paths() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).map { folder.path + "/" + $0 }
  }

  /// The record's file of an account.
  func file(_ account: String) throws -> String {
    // Names are hashes; the key is inside.
    for path in try paths() where !path.contains("damaged") {
      let content = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
      if content?.contains("\"accountID\":\"\(account)\"") == true { return path }
    }
    throw ProofError("there is no file of \(account)")
  }

  /// A cache with three records in it.
  func openWithRecords() async throws -> any SharedTokenCache {
    let cache = try open()
    for number in 1...3 { try await cache.store(ProofRecord.record(number), for: ProofRecord.key("person-\(number)")) }
    return cache
  }

  /// Looks whether the records hold what they should, for a cache that has not seen them before.
  func expectRecords(_ numbers: [Int] = [1, 2, 3], _ cache: (any TokenCache)? = nil) async throws {
    let cache = try cache ?? open()
    for (index, number) in numbers.enumerated() {
      let record = try await cache.record(for: ProofRecord.key("person-\(index + 1)"))
      guard let record else { throw ProofError("record \(index + 1) is lost") }
      guard ProofRecord.number(record) == number else { throw ProofError("record \(index + 1) is not \(number)") }
    }
    let stray = ProofFolder.strayFiles(folder)
    guard stray.isEmpty else { throw ProofError("a temporary file is left: \(stray)") }
  }

  /// Expects a typed error of one of the codes.
  func expect(
    _ codes: TokenCacheError.Code..., from what: String, _ body: () async throws -> Void
  ) async throws {
    do {
      try await body()
    } catch let error as TokenCacheError where codes.contains(error.code) {
      return
    } catch {
      throw ProofError("\(what) ended with \(error)")
    }
    throw ProofError("\(what) did not fail")
  }
}
