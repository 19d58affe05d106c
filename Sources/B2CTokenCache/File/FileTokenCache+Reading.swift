internal import B2CCore
internal import Foundation

extension FileTokenCache {
  /// Where a key's file stands.
  func place(of key: TokenCacheKey) -> RecordPlace {
    let identity = RecordGroup.Identity(key)
    if let group = memory.withLock({ $0.groups[identity] }) { return RecordPlace(key, group) }
    let group = RecordGroup(identity, in: folder)
    memory.withLock {
      $0.groups[identity] = group
      $0.groupsByName[group.name] = group
    }
    return RecordPlace(key, group)
  }

  func forget(_ key: TokenCacheKey) {
    memory.withLock { $0.entries.remove(key) }
  }

  /// Reads a file and keeps what it holds in memory.
  func load(_ key: TokenCacheKey, _ path: String) async throws -> TokenRecord? {
    let started = now()
    switch try RecordFile.read(path, expecting: key).finding {
    case .record(let record, let stamp):
      remember(record, for: key, path, stamp, at: started)
      return record
    case .missing:
      forget(key)
      return nil
    case .foreign:
      return try await setAside(key)
    }
  }

  /// Sets a key's file aside, unless a good one has taken its place meanwhile.
  private func setAside(_ key: TokenCacheKey) async throws -> TokenRecord? {
    let place = place(of: key)
    let writer = RecordWriter(folder: folder, place: place)
    forget(key)
    return try await underWriteLock(of: place) {
      switch try RecordFile.read(place.path, expecting: key).finding {
      case .record(let record, _): return record
      case .missing: return nil
      case .foreign(let reason):
        let name = try writer.setAside()
        throw TokenCacheError(
          .damaged, "\(place.path) is no usable token record (\(reason)); it is now \(name).",
          recoverySuggestion: "This account has to sign in again; the other records are not touched.")
      }
    }
  }

  private func remember(
    _ record: TokenRecord, for key: TokenCacheKey, _ path: String, _ stamp: FileStamp, at moment: Date
  ) {
    let isSettled = stamp.isSettled(at: moment)
    memory.withLock { memory in
      memory.entries.put(record, for: key) {
        FileMemory.Entry(path: path, record: $0, stamp: stamp, isSettled: isSettled)
      }
    }
  }
}
