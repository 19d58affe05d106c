internal import B2CCore
internal import Foundation

/// A token cache over keychain items, one for each record, without the keychain itself.
///
/// Records that were read stay in memory. In the app's own group, which no other process is expected to change, it is served
/// without a call; elsewhere after a look at the item's date. Calls run on a queue of their own.
package struct KeychainRecords: InspectableTokenCache, StoreIdentifying {
  private let access: KeychainAccess
  /// The state of every cache over the same service and group.
  package let sharedState: CacheState

  package init(
    _ items: any KeychainItems, group: String? = nil, installation: InstallationFile? = nil,
    process: KeychainProcess = .current
  ) {
    // Whose group it is shows in its name, so that no call is needed: a cache without a group is over the same items.
    let isOwn = group.map { !process.isExtension && process.isOwn($0) } ?? false
    sharedState = CacheRegistry.state(of: .keychain(items.service, group: isOwn ? nil : group))
    access = KeychainAccess(
      items: items, named: group, installation: installation, process: process,
      memory: CacheRegistry.keychain(of: items.service))
  }

  package func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    if let place = access.knownPlace, place.servesCopies, let copy = access.memory.copy(of: key, in: place.group) {
      return readable(copy.record, key)
    }
    return try await access.memory.run { [self] in try read(key).map { readable($0.record, key) } }
  }

  package func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    let authentication = RefreshAuthentication.current?.used
    try await access.memory.run { [self] in
      var old: Stored?
      do throws(TokenCacheError) {
        // A newer version's record is not replaced; a damaged one is.
        old = try read(key, usingCopy: false)
      } catch {
        guard error.code == .damaged else { throw error }
      }
      // A refresh leaves the record to the installation that has signed in.
      let isRefresh = old?.record.signedInAt == record.signedInAt
      let account = key.canonicalText
      do {
        let place = try access.open()
        let split = try protecting(record, of: key, over: old?.record, in: place.group, with: authentication)
        let data = Data(try RecordFile(split, for: key).bytes())
        access.memory.keep(nil, of: key)
        do throws(KeychainStatus) {
          try access.put(data, account, at: place, over: isRefresh ? old?.mark : nil)
        } catch {
          // A sign-in that fails leaves nothing behind; what a refresh has brought is the only good token.
          if !isRefresh, let added = split.protectedRefreshToken?.generation {
            try? access.protected?.remove(account, generation: added, in: place.group)
          }
          throw error
        }
        if place.isPrivate {
          let copy = KeychainMemory.Copy(record: split, group: place.group, modified: nil, isSettled: false)
          access.memory.keep(copy, of: key)
        }
        // The record names the new item now. One that stays is removed by the next store.
        if isProtecting || old?.record.protectedRefreshToken != nil, record.protectedRefreshToken == nil {
          let generation = split.protectedRefreshToken?.generation
          try? access.protected?.remove(
            account, except: generation, known: generation ?? old?.record.protectedRefreshToken?.generation,
            in: place.group)
        }
      } catch let error as KeychainStatus {
        throw error.error(.unwritable, "write a token record")
      }
    }
  }

  package func removeRecord(for key: TokenCacheKey) async throws {
    try await access.memory.run { [self] in
      do throws(KeychainStatus) {
        let place = try access.open()
        // First: while one stays, so does the record, whose removal is tried again.
        try removeProtected(of: key, in: place.group)
        access.memory.keep(nil, of: key)
        try access.remove(key.canonicalText, at: place)
      } catch {
        throw error.error(.unwritable, "remove a token record")
      }
    }
  }

  /// Returns whether there is certainly nothing to remove: no record, in a keychain without protected items.
  package func isAbsent(_ key: TokenCacheKey) async -> Bool {
    guard access.protected == nil else { return false }
    do { return try await record(for: key) == nil } catch { return false }
  }

  private func removeProtected(of key: TokenCacheKey, in group: String) throws(KeychainStatus) {
    guard let tokens = access.protected else { return }
    var known: Int?
    var isRead = true
    do throws(TokenCacheError) {
      known = try read(key)?.record.protectedRefreshToken?.generation
    } catch {
      isRead = false
    }
    try tokens.remove(key.canonicalText, known: known, mustFind: !isRead, in: group)
  }

  package func keys() async throws -> [TokenCacheKey] {
    try await access.memory.run { [self] in
      do throws(KeychainStatus) {
        return try access.accounts(at: try access.open()).compactMap(TokenCacheKey.init(canonicalText:))
      } catch {
        throw error.error(.unreadable, "list the token records")
      }
    }
  }

  /// Discards the copy of a record, so that the next call reads its item.
  package func forgetCopy(of key: TokenCacheKey) async throws {
    // On the queue: what is being read at this moment may be older.
    try await access.memory.run { [self] in access.memory.keep(nil, of: key) }
  }

  /// Proves that the keychain takes items: adds one that holds nothing, and removes it.
  ///
  /// - Throws: ``TokenCacheError``: `missingEntitlement`; `unwritable` with the keychain's reason.
  package func proveWritable() async throws {
    try await access.memory.run { [self] in
      do throws(KeychainStatus) {
        try access.proveOpen(try access.open().group, always: true)
      } catch {
        throw error.error(.unwritable, "add an item")
      }
    }
  }

  // MARK: The protected refresh token

  private var isProtecting: Bool { access.items.protected?.isOn == true }

  /// The record as it is stored and copied: its refresh token in an item of its own, where it is to be protected.
  ///
  /// The new item is added beside the old one, so that one of the two is good whenever the process is killed.
  private func protecting(
    _ record: TokenRecord, of key: TokenCacheKey, over old: TokenRecord?, in group: String,
    with authentication: (any KeychainAuthentication)?
  ) throws(TokenCacheError) -> TokenRecord {
    guard isProtecting, let tokens = access.protected else { return record }
    guard !record.isSealed else {
      throw TokenCacheError(
        .unwritable, "An EncryptedTokenCache hides the refresh token, which is to be protected, from the keychain.",
        recoverySuggestion: "Use KeychainTokenCache(protection:) alone: the system encrypts its items.")
    }
    guard let token = record.refreshToken else { return record }
    var split = record
    split.refreshToken = nil
    split.protectedRefreshToken = try tokens.add(
      token, of: key.canonicalText, known: old?.protectedRefreshToken?.generation, in: group, with: authentication)
    return split
  }

  /// The record with a way to its protected refresh token.
  private func readable(_ record: TokenRecord, _ key: TokenCacheKey) -> TokenRecord {
    guard let token = record.protectedRefreshToken else { return record }
    var record = record
    record.protectedRefreshToken?.reader = { [self] in try await refreshToken(of: key, known: token.generation) }
    return record
  }

  /// Asks the user for the refresh token of a key; `nil` when it is certainly gone.
  private func refreshToken(of key: TokenCacheKey, known: Int) async throws -> Secret? {
    guard let items = access.items.protected, let tokens = access.protected else { return nil }
    let shared = RefreshAuthentication.current
    let authentication = shared?.authentication(of: items) ?? items.authentication()
    defer { if shared == nil { authentication.invalidate() } }
    let account = key.canonicalText
    do {
      let (generations, group) = try await access.memory.run { [self] in
        let group = try access.open().group
        // A locked keychain has no items either.
        _ = try access.proveOpen(group)
        return (try tokens.generations(of: account, known: known, in: group), group)
      }
      try Task.checkCancellation()
      let token = try await withTaskCancellationHandler {
        try await access.memory.ask { try tokens.token(of: account, generations, in: group, with: authentication) }
      } onCancel: {
        authentication.invalidate()
      }
      if token == nil { try await access.memory.run { [self] in _ = try access.proveOpen(group, always: true) } }
      return token
    } catch let error as KeychainStatus {
      throw error.error(.unreadable, "look for a protected refresh token")
    } catch {
      // A question that was ended with its caller is no answer of the user.
      try Task.checkCancellation()
      throw error
    }
  }

  private struct Stored {
    let record: TokenRecord
    /// The item's mark; `nil` when the record comes from a copy.
    var mark: String?
  }

  // The function below blocks, and runs on the queue.

  private func read(_ key: TokenCacheKey, usingCopy: Bool = true) throws(TokenCacheError) -> Stored? {
    let memory = access.memory
    let started = access.process.now()
    let place: KeychainAccess.Place
    let found: KeychainItem?
    do throws(KeychainStatus) {
      place = try access.open()
      if usingCopy, let copy = memory.copy(of: key, in: place.group) {
        if place.servesCopies { return Stored(record: copy.record) }
        if copy.isSettled, let attributes = try? access.items.attributes(key.canonicalText, in: place.group),
          copy.isCurrent(attributes)
        {
          return Stored(record: copy.record)
        }
      }
      memory.keep(nil, of: key)
      found = try access.item(key.canonicalText, at: place)
    } catch {
      throw error.error(.unreadable, "read a token record")
    }
    guard let found else { return nil }
    let record: TokenRecord
    do throws(TokenCacheError) {
      record = try RecordFile.record(in: Array(found.data), for: key)
    } catch {
      guard error.code == .damaged else { throw error }
      throw TokenCacheError(
        .damaged, "A keychain item is not a usable token record: \(error.message).",
        recoverySuggestion: "Sign in again, which replaces it; the other records are not affected.")
    }
    let modified = found.attributes.modified
    // How finely the keychain counts time is not documented.
    let isSettled = modified.map { started.timeIntervalSince($0) > 2 } ?? false
    memory.keep(
      KeychainMemory.Copy(record: record, group: place.group, modified: modified, isSettled: isSettled), of: key)
    return Stored(record: record, mark: found.attributes.mark)
  }
}

/// An encryption key in one keychain item, without the keychain itself.
package struct StoredKeychainKey: EncryptionKeySource {
  private static let account = "encryption-key"
  private let access: KeychainAccess

  package init(_ items: any KeychainItems, group: String? = nil, process: KeychainProcess = .current) {
    access = KeychainAccess(
      items: items, named: group, installation: nil, process: process,
      memory: CacheRegistry.keychain(of: items.service))
  }

  package func encryptionKey() async throws -> EncryptionKey {
    try await access.memory.run { [self] in
      if let key = try read() { return key }
      do throws(KeychainStatus) {
        let new = try older() ?? StoredEncryptionKey.data(of: .random())
        _ = try access.items.add(new, account: Self.account, mark: "", in: try access.open().group)
      } catch {
        // Another process was first: its key counts, or records would be sealed with a key that is lost.
        guard error == .duplicateItem else { throw error.error(.encryptionUnavailable, "keep an encryption key") }
      }
      if let key = try read() { return key }
      throw TokenCacheError(.encryptionUnavailable, "The keychain has not kept the encryption key.")
    }
  }

  /// The key of a version without groups, in another group of the app.
  ///
  /// It is copied and not moved: another app of the team may use it too.
  private func older() throws(KeychainStatus) -> Data? {
    guard access.named == nil else { return nil }
    let place = try access.open()
    let group = try access.listing(of: nil).first { $0.account == Self.account && $0.group != place.group }?.group
    guard let group else { return nil }
    return try access.items.item(Self.account, in: group).data
  }

  private func read() throws -> EncryptionKey? {
    let data: Data?
    do throws(KeychainStatus) {
      data = try access.item(Self.account, at: try access.open())?.data
    } catch {
      throw error.error(.encryptionUnavailable, "read the encryption key")
    }
    return try data.map { data in try StoredEncryptionKey.key(in: data, from: "The keychain item") }
  }
}
