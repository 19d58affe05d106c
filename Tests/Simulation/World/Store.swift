#if os(Linux)
  import B2CTokenCache
  import Foundation

  /// The kinds of cache that a world can have.
  enum CacheKind: String, CaseIterable {
    /// An own actor of four methods over a database.
    case fourMethod
    /// An own `SharedTokenCache` over a database.
    case shared
    case inMemory
    case file
    /// Files whose records are sealed.
    case sealed

    /// Whether processes may share it: it can lock between them.
    var isShared: Bool { self == .shared || isFile }

    /// Whether it outlives its process.
    var isLasting: Bool { self != .inMemory }

    var isFile: Bool { self == .file || self == .sealed }
  }

  /// What lies under the caches of all processes of a device, and survives them.
  final class Store: @unchecked Sendable {
    let kind: CacheKind
    let table = RecordTable()
    let disk = SimulatedDisk()

    init(_ kind: CacheKind) {
      self.kind = kind
    }

    /// What is wrong with it.
    var trouble: StoreTrouble {
      get { kind.isFile ? disk.trouble : table.trouble }
      set {
        table.trouble = newValue
        disk.trouble = newValue
      }
    }

    /// Makes the cache of a process, for all its connectors.
    func makeCache(for process: AppProcess) throws -> any TokenCache {
      switch kind {
      case .fourMethod: FourMethodCache(table, process)
      case .shared: SharedDatabaseCache(table, process)
      case .inMemory: InMemoryTokenCache()
      case .file, .sealed: try fileCache(disk, process)
      }
    }

    /// Returns all records that can be read, as they are stored now; nothing is changed and no time passes.
    ///
    /// - Parameters:
    ///   - processes: The processes in whose memory records may be.
    ///   - onDevice: Whether files count only as far as they are flushed.
    /// - Returns: The records with their keys, in the order of the keys.
    func records(
      inMemoryOf processes: [AppProcess], onDevice: Bool = false
    ) -> [(key: TokenCacheKey, record: TokenRecord)] {
      let caches: [any TokenCache]
      switch kind {
      case .fourMethod, .shared: return table.keys.compactMap { key in table.records[key].map { (key, $0) } }
      case .inMemory: caches = processes.filter { !$0.isDead }.map(\.cache)
      case .file, .sealed:
        guard let copy = try? fileCache(disk.copy(onDevice: onDevice), nil) else { return [] }
        caches = [copy]
      }
      let found = machine.alone { () -> [TokenCacheKey: TokenRecord] in
        var found: [TokenCacheKey: TokenRecord] = [:]
        for cache in caches {
          // A damaged file is reported once, and the next call lists the others.
          var keys = try? await cache.keys()
          if keys == nil { keys = try? await cache.keys() }
          for key in keys ?? [] {
            if let record = try? await cache.record(for: key) { found[key] = record }
          }
        }
        return found
      }
      return (found ?? [:]).map { ($0.key, $0.value) }.sorted { $0.key.canonicalText < $1.key.canonicalText }
    }

    /// Changes a byte of a stored record, as a failing medium does.
    ///
    /// - Returns: The record that cannot be read any more, or differs, as it was before.
    func damageRecord(_ draw: inout Draw) -> [(key: TokenCacheKey, record: TokenRecord)] {
      guard kind.isFile else { return [] }
      let paths = disk.files.keys.filter { $0.hasSuffix(".json") }.sorted()
      guard !paths.isEmpty, let file = disk.files[draw.one(of: paths)], !file.bytes.isEmpty else { return [] }
      let before = records(inMemoryOf: [])
      file.bytes[draw.below(file.bytes.count)] ^= 0xFF
      file.changedAt = machine.wallClock
      let after = records(inMemoryOf: [])
      return before.filter { old in !after.contains { $0.key == old.key && $0.record == old.record } }
    }

    private func fileCache(_ disk: SimulatedDisk, _ process: AppProcess?) throws -> StoredTokenCache {
      let directory = try RecordDirectory(
        at: URL(fileURLWithPath: ProcessDisk.newDirectory(), isDirectory: true),
        files: ProcessDisk(disk: disk, process: process))
      try directory.prepare()
      let form = kind == .sealed ? try RecordForm(sealedWith: Data(repeating: 7, count: 32)) : RecordForm()
      guard let process else { return StoredTokenCache(directory, form: form) }
      return StoredTokenCache(directory, form: form, clock: ProcessClock(process: process))
    }
  }
#endif
