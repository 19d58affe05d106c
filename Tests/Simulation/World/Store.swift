#if os(Linux)
  import B2CTokenCache
  import Foundation

  /// The kinds of cache that a world can have.
  enum CacheKind: String, CaseIterable {
    /// Those that a world is drawn from; what a value is not able to do is documented, so scripts alone have one.
    static let allCases: [CacheKind] = [
      .fourMethod, .shared, .inMemory, .file, .encrypted, .encryptedFile, .keychain, .twoWrappers, .lockedKeychain,
    ]

    /// An own class of four methods over a database.
    case fourMethod
    /// An own `SharedTokenCache` over a database.
    case shared
    case inMemory
    case file
    /// `EncryptedTokenCache` over four methods.
    case encrypted
    /// `EncryptedTokenCache` over files.
    case encryptedFile
    case keychain
    /// A keychain that processes share, with the locks on the disk.
    case lockedKeychain
    /// Two `EncryptedTokenCache` values over one object of four methods, one for each connector.
    case twoWrappers
    /// A structure of four methods over an object, copied for each connector.
    case value

    /// Whether processes may share it: it can lock between them.
    var isShared: Bool { [.shared, .file, .encryptedFile, .lockedKeychain].contains(self) }

    /// Whether it outlives its process.
    var isLasting: Bool { self != .inMemory }

    var isFile: Bool { self == .file || self == .encryptedFile }
  }

  /// What lies under the caches of all processes of a device, and survives them.
  final class Store: @unchecked Sendable {
    let kind: CacheKind
    let table = RecordTable()
    let keychain = SimulatedKeychain()
    let disk = SimulatedDisk()

    init(_ kind: CacheKind) {
      self.kind = kind
    }

    private var isKeychain: Bool { kind == .keychain || kind == .lockedKeychain }

    /// What is wrong with it.
    var trouble: StoreTrouble {
      get { kind.isFile ? disk.trouble : isKeychain ? keychain.trouble : table.trouble }
      set {
        table.trouble = newValue
        keychain.trouble = newValue
        disk.trouble = newValue
      }
    }

    /// Makes the caches of a process: one for all its connectors, or one for each where wrappers differ.
    func makeCaches(for process: AppProcess, count: Int) throws -> [any TokenCache] {
      let one: any TokenCache =
        switch kind {
        case .fourMethod: FourMethodCache(table, process)
        case .shared: SharedDatabaseCache(table, process)
        case .inMemory: InMemoryTokenCache()
        case .file: try fileCache(disk, process)
        case .encrypted, .twoWrappers: encrypted(FourMethodCache(table, process))
        case .encryptedFile: encrypted(try fileCache(disk, process))
        case .keychain: KeychainRecords(ProcessKeychain(keychain, process), process: SimulatedKeychain.app)
        case .lockedKeychain:
          SharedKeychain(
            KeychainRecords(
              ProcessKeychain(keychain, process), group: SimulatedKeychain.group, process: SimulatedKeychain.app.sharing
            ),
            lockedIn: URL(fileURLWithPath: "/data", isDirectory: true), now: { Date() },
            files: ProcessDisk(disk: disk, process: process))
        case .value: ValueCache(cache: FourMethodCache(table, process))
        }
      guard kind == .twoWrappers else { return Array(repeating: one, count: count) }
      let wrapped = FourMethodCache(table, process)
      return (0..<count).map { _ in encrypted(wrapped) }
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
      case .fourMethod, .shared, .value: return table.keys.compactMap { key in table.records[key].map { (key, $0) } }
      case .inMemory: caches = processes.filter { !$0.isDead }.compactMap(\.caches.first)
      case .file, .encryptedFile:
        guard let copy = try? fileCache(disk.copy(onDevice: onDevice), nil) else { return [] }
        caches = [kind == .file ? copy : encrypted(copy)]
      case .encrypted, .twoWrappers: caches = [encrypted(FourMethodCache(table, nil))]
      case .keychain, .lockedKeychain:
        caches = [KeychainRecords(ProcessKeychain(keychain, nil), process: SimulatedKeychain.app)]
      }
      let found = machine.alone { () -> [TokenCacheKey: TokenRecord] in
        var found: [TokenCacheKey: TokenRecord] = [:]
        for cache in caches {
          // A damaged file is reported once, and the next call lists the others.
          var keys = try? await cache.keys()
          if keys == nil { keys = try? await cache.keys() }
          for key in keys ?? [] {
            guard var record = try? await cache.record(for: key) else { continue }
            // Nobody is asked by a look from outside.
            if record.protectedRefreshToken != nil { record.refreshToken = try? await record.refreshTokenAskingUser() }
            found[key] = record
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

    private func fileCache(_ disk: SimulatedDisk, _ process: AppProcess?) throws -> FileTokenCache {
      try FileTokenCache(
        directory: URL(fileURLWithPath: ProcessDisk.newDirectory(), isDirectory: true), now: { Date() },
        files: ProcessDisk(disk: disk, process: process))
    }

    private func encrypted(_ cache: any TokenCache) -> EncryptedTokenCache {
      EncryptedTokenCache(wrapping: cache, key: FixedKey())
    }

    private struct FixedKey: EncryptionKeySource {
      func encryptionKey() async throws -> EncryptionKey { try EncryptionKey(bytes: Data(repeating: 7, count: 32)) }
    }
  }
#endif
