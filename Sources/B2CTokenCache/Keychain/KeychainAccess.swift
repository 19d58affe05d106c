internal import B2CCore
internal import Foundation

/// Finds items where they are, and believes that there is none only of a keychain that is known to be open.
///
/// Its calls block and run on the queue of ``KeychainMemory``, one at a time.
struct KeychainAccess: Sendable {
  /// A group of items.
  struct Place: Sendable {
    let group: String
    /// Whether no other process is expected to change its items.
    let isPrivate: Bool
    /// Whether a copy is good without a look at the item, which must not be readable on a locked device.
    let servesCopies: Bool
  }

  /// The account of the item that proves a keychain open; it holds nothing.
  static let probe = "B2CConnector.probe"
  /// The mark of records that belong to a cache with a named group.
  static let namedMark = "named"

  let items: any KeychainItems
  /// The group that the app has named.
  let named: String?
  let installation: InstallationFile?
  let process: KeychainProcess
  let memory: KeychainMemory

  /// The refresh tokens in protected items; `nil` where the system has none.
  var protected: ProtectedTokens? { items.protected.map(ProtectedTokens.init) }

  // MARK: The group

  /// Where the items are, as far as no call is needed to know.
  var knownPlace: Place? {
    guard let group = named ?? memory.content.withLock({ $0.group }) else { return nil }
    let place = place(group)
    return hasToLookForInstallation(place) ? nil : place
  }

  /// Returns where the items are; before their first use, finds the app's group and removes what former installations
  /// have left.
  func open() throws(KeychainStatus) -> Place {
    let place = place(try group())
    if hasToLookForInstallation(place) { try removeFormerInstallations(place) }
    return place
  }

  private func place(_ group: String) -> Place {
    let isPrivate = !process.isExtension && process.isOwn(group)
    return Place(group: group, isPrivate: isPrivate, servesCopies: isPrivate && items.staysOpen)
  }

  private func group() throws(KeychainStatus) -> String {
    if let named { return named }
    if let known = memory.content.withLock({ $0.group }) { return known }
    var listed = try listing(of: nil)
    var own = process.isExtension ? nil : listed.first { process.isOwn($0.group) }?.group
    if own == nil {
      own = try groupOfProbe()
      // The keychain is open now.
      listed = try listing(of: nil)
    }
    guard let own else { throw .itemNotFound }
    noteStrays(listed, besides: own)
    memory.content.withLock { $0.group = own }
    return own
  }

  /// Returns the app's own group, by the group that the system gives to an item without one.
  ///
  /// That is the first of the entitlements, which other apps may share; the app's own group needs no entitlement, but
  /// on the Mac a profile. An extension keeps to the first, which it may have in common with its app.
  private func groupOfProbe() throws(KeychainStatus) -> String {
    let first = try addProbe(in: nil)
    removeProbe(in: first)
    noteOpen()
    guard !process.isExtension, let own = process.ownGroup(besides: first), own != first else { return first }
    do throws(KeychainStatus) {
      _ = try addProbe(in: own)
    } catch {
      guard error == .missingEntitlement || error == .noAccessForItem else { throw error }
      return first
    }
    removeProbe(in: own)
    return own
  }

  // MARK: Records in other groups

  /// Notes the records that versions without groups have left in other groups of the app.
  private func noteStrays(_ listed: [KeychainAttributes], besides own: String) {
    // An extension would take them from its app.
    guard !process.isExtension else { return }
    let present = Set(listed.filter { $0.group == own }.map(\.account))
    let others = listed.filter {
      $0.group != own && $0.mark.isEmpty && TokenCacheKey(canonicalText: $0.account) != nil
    }
    for item in others.sorted(by: { ($0.modified ?? .distantPast) < ($1.modified ?? .distantPast) }) {
      if present.contains(item.account) {
        // It belongs to a cache with a named group: it must not come here once this cache's record has gone.
        try? items.update(item.account, in: item.group, to: KeychainChange(mark: Self.namedMark))
      } else {
        memory.content.withLock { $0.strays[item.account] = item.group }
      }
    }
  }

  /// Moves a record here from another group, at its first use.
  ///
  /// One at a time and not all at once: another app of the team may keep its records under the same service.
  private func moveStray(_ account: String, to place: Place) throws(KeychainStatus) -> Bool {
    guard named == nil, let old = memory.content.withLock({ $0.strays[account] }) else { return false }
    do throws(KeychainStatus) {
      try items.update(account, in: old, to: KeychainChange(mark: mark(at: place), group: place.group))
    } catch {
      guard error == .itemNotFound || error == .duplicateItem else { throw error }
    }
    memory.content.withLock { _ = $0.strays.removeValue(forKey: account) }
    return true
  }

  // MARK: Items

  /// Returns an item, or `nil` when there is certainly none.
  func item(_ account: String, at place: Place) throws(KeychainStatus) -> KeychainItem? {
    if let item = try found(account, place) { return item }
    if try moveStray(account, to: place), let item = try found(account, place) { return item }
    // What became readable meanwhile is found now.
    return try proveOpen(place.group) ? try found(account, place) : nil
  }

  private func found(_ account: String, _ place: Place) throws(KeychainStatus) -> KeychainItem? {
    do throws(KeychainStatus) {
      return try items.item(account, in: place.group)
    } catch {
      guard error == .itemNotFound else { throw error }
      return nil
    }
  }

  /// Adds an item or changes the one that is there.
  ///
  /// - Parameters:
  ///   - data: The item's data.
  ///   - account: The item's account.
  ///   - place: Where it is.
  ///   - oldMark: The mark of the item that the data is a refresh of, if it is one.
  /// - Throws: The keychain's refusal.
  func put(_ data: Data, _ account: String, at place: Place, over oldMark: String?) throws(KeychainStatus) {
    let change = KeychainChange(data: data, mark: mark(at: place, over: oldMark))
    do {
      try items.update(account, in: place.group, to: change)
    } catch  where error == .itemNotFound {
      do {
        _ = try items.add(data, account: account, mark: mark(at: place, over: oldMark), in: place.group)
      } catch  where error == .duplicateItem {
        // Another process was first.
        try items.update(account, in: place.group, to: change)
      }
    }
  }

  /// Removes an item, if there is one.
  func remove(_ account: String, at place: Place) throws(KeychainStatus) {
    if try removed(account, place) { return }
    if try moveStray(account, to: place), try removed(account, place) { return }
    if try proveOpen(place.group) { _ = try removed(account, place) }
  }

  private func removed(_ account: String, _ place: Place) throws(KeychainStatus) -> Bool {
    do throws(KeychainStatus) {
      try items.remove(account, in: place.group)
      return true
    } catch {
      guard error == .itemNotFound else { throw error }
      return false
    }
  }

  /// Returns the accounts of all items, those in other groups that belong here included.
  func accounts(at place: Place) throws(KeychainStatus) -> [String] {
    var listed = try listing(of: place.group)
    let strays = named == nil ? memory.content.withLock { Array($0.strays.keys) } : []
    if listed.isEmpty, strays.isEmpty, try proveOpen(place.group) { listed = try listing(of: place.group) }
    memory.compare(listed, in: place.group)
    return Array(Set(listed.map(\.account)).union(strays))
  }

  /// The items of a group, or of all; none for "not found", which the caller has to prove.
  func listing(of group: String?) throws(KeychainStatus) -> [KeychainAttributes] {
    do throws(KeychainStatus) {
      return try items.list(in: group).filter { $0.account != Self.probe }
    } catch {
      guard error == .itemNotFound else { throw error }
      return []
    }
  }

  private func mark(at place: Place, over oldMark: String? = nil) -> String {
    if place.isPrivate, let id = memory.content.withLock({ $0.installationID }) { return id }
    // Without an id of its own a process leaves the item to its installation.
    if let oldMark, UUID(uuidString: oldMark) != nil { return oldMark }
    // An extension is no app of an earlier version, whose records move.
    return (named == nil && !process.isExtension) || place.isPrivate ? "" : Self.namedMark
  }

  // MARK: The proof

  /// Proves that the keychain is open: since iOS 15 a locked one says "not found" before the first unlock.
  ///
  /// - Parameters:
  ///   - group: The group to prove it in.
  ///   - always: Whether to prove it although it is known.
  /// - Returns: Whether it was not known before.
  /// - Throws: The keychain's refusal.
  @discardableResult
  func proveOpen(_ group: String, always: Bool = false) throws(KeychainStatus) -> Bool {
    if !always, items.staysOpen, memory.content.withLock({ $0.isProved }) { return false }
    _ = try addProbe(in: group)
    removeProbe(in: group)
    noteOpen()
    return true
  }

  /// Adds the probe and returns its group; where one is left over, that one is replaced.
  private func addProbe(in group: String?) throws(KeychainStatus) -> String {
    do {
      return try items.add(Data([0]), account: Self.probe, mark: "", in: group)
    } catch  where error == .duplicateItem {
      removeProbe(in: group)
    }
    do {
      return try items.add(Data([0]), account: Self.probe, mark: "", in: group)
    } catch  where error == .duplicateItem {
      // Another process proves the same at this moment.
      if let group { return group }
      return try items.attributes(Self.probe, in: nil).group
    }
  }

  /// One that stays is removed by the next proof.
  private func removeProbe(in group: String?) {
    try? items.remove(Self.probe, in: group)
  }

  private func noteOpen() {
    if items.staysOpen { memory.content.withLock { $0.isProved = true } }
  }

  // MARK: Former installations

  private func hasToLookForInstallation(_ place: Place) -> Bool {
    // In a group that others share, a record with another id may be that of another app.
    installation != nil && place.isPrivate && !memory.content.withLock { $0.hasLookedForInstallation }
  }

  private func removeFormerInstallations(_ place: Place) throws(KeychainStatus) {
    // Before the first unlock neither the file nor the items can be read.
    try proveOpen(place.group)
    let id = installation?.id()
    if let id {
      for item in try listing(of: place.group)
      where item.mark != id && TokenCacheKey(canonicalText: item.account) != nil {
        if UUID(uuidString: item.mark) != nil {
          try protected?.remove(item.account, known: nil, in: place.group)
          _ = try removed(item.account, place)
        } else {
          try items.update(item.account, in: place.group, to: KeychainChange(mark: id))
        }
      }
    }
    memory.content.withLock { content in
      content.installationID = id
      content.hasLookedForInstallation = true
      content.copies = [:]
    }
  }
}
