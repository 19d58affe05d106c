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

  /// Whether processes may share it, because it can lock between them.
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

  init(_ kind: CacheKind) { self.kind = kind }

  var trouble: StoreTrouble {
    get { kind.isFile ? disk.trouble : table.trouble }
    set {
      table.trouble = newValue
      disk.trouble = newValue
    }
  }

  func heal() { trouble = StoreTrouble() }

  /// It fails a few times in a row, soon.
  func hiccup(_ count: Int) {
    trouble.failingAccesses = count
    trouble.sparedAccesses = machine.draw.below(kind.isFile ? 60 : 10)
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

  /// Returns all records that can be read, in the order of their keys; nothing is changed and no time passes.
  ///
  /// They may be in the memory of processes. With `onDevice`, files count only as far as they are flushed.
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
        for key in (try? await cache.keys()) ?? [] {
          if let record = try? await cache.record(for: key) { found[key] = record }
        }
      }
      return found
    }
    return (found ?? [:]).map { ($0.key, $0.value) }.sorted { $0.key.canonicalText < $1.key.canonicalText }
  }

  /// The files that a medium has damaged so that no record can be read from them.
  private var damaged: [SimulatedDisk.File] = []

  /// Whether one of them is still there.
  var isDamaged: Bool { damaged.contains { file in disk.files.values.contains { $0 === file } } }

  /// Changes a byte of a stored record, or leaves a part of it, as a failing medium does.
  ///
  /// - Parameter person: Whose record it is; anybody's for `nil`.
  /// - Returns: The record that cannot be read any more, as it was before.
  func damageRecord(of person: String?) -> [(key: TokenCacheKey, record: TokenRecord)] {
    guard kind.isFile else { return [] }
    let before = records(inMemoryOf: [])
    let files = disk.files.sorted { $0.key < $1.key }.filter { path, file in
      path.hasSuffix(".json") && !file.bytes.isEmpty
        && person.map { String(decoding: file.bytes, as: UTF8.self).contains($0) } ?? true
    }
    guard !files.isEmpty else { return [] }
    let file = machine.draw.one(of: files).value
    let isCut = machine.draw.below(4) == 0
    let place = machine.draw.below(file.bytes.count)
    if isCut { file.bytes = Array(file.bytes.prefix(place)) } else { file.bytes[place] ^= 0xFF }
    file.flushed = file.bytes
    file.changedAt = machine.wallClock
    let after = records(inMemoryOf: [])
    let lost = before.filter { old in !after.contains { $0.key == old.key } }
    if !lost.isEmpty { damaged.append(file) }
    return lost
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
