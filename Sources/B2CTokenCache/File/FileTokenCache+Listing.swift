internal import B2CCore
public import Foundation

extension FileTokenCache {
  /// Lists the keys of all records, in any order.
  ///
  /// The names of the files tell the keys, so records are not read for it. While nothing has changed, the last list is
  /// given again.
  ///
  /// - Returns: Each key once.
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/unreadable`` when the folder or a file that has to be
  ///   looked into cannot be read.
  public func keys() async throws -> [TokenCacheKey] {
    try await disk.run("keys") { [self] in
      do {
        var keys: [TokenCacheKey] = []
        for name in try SystemCalls.names(in: folder.path) where RecordGroup.isName(name) {
          let listed = try listKeys(ofGroup: name)
          if keys.isEmpty { keys = listed } else { keys += listed }
        }
        return keys
      } catch let failure as SystemFailure {
        throw TokenCacheError.unreadable("The token cache cannot be listed", failure)
      }
    }
  }

  /// The files that were no records and were set aside, for whoever wants to look at or remove them.
  ///
  /// - Returns: The files, sorted by path.
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/unreadable`` when the folder cannot be read.
  public func filesSetAside() async throws -> [URL] {
    try await disk.run("keys") { [self] in
      do {
        var paths: [String] = []
        for group in try SystemCalls.names(in: folder.path) where RecordGroup.isName(group) {
          let path = folder.path + "/" + group
          paths += try SystemCalls.names(in: path).filter { $0.contains(RecordGroup.asideMark) }.map { path + "/" + $0 }
        }
        return paths.sorted().map { URL(fileURLWithPath: $0) }
      } catch let failure as SystemFailure {
        throw TokenCacheError.unreadable("The token cache cannot be listed", failure)
      }
    }
  }

  private func listKeys(ofGroup name: String) throws -> [TokenCacheKey] {
    let path = folder.path + "/" + name
    let started = now()
    guard let status = try SystemCalls.status(of: path), status.kind == .folder else { return [] }
    if let listing = memory.withLock({ $0.listings[name] }), listing.isSettled, listing.stamp == status.stamp {
      return listing.keys
    }
    let names = try recordNames(in: path, status.stamp)
    guard let group = try group(named: name, with: names) else { return [] }
    var keys: [TokenCacheKey] = []
    keys.reserveCapacity(names.count)
    for name in names {
      if let key = try group.key(ofName: name) ?? keyInside(path + "/" + name + RecordGroup.suffix) { keys.append(key) }
    }
    let listing = FileMemory.Listing(
      keys: keys, stamp: status.stamp, isSettled: status.stamp.isSettled(at: started))
    memory.withLock { $0.listings[name] = listing }
    return keys
  }

  /// The names of a group's records, without their suffix.
  ///
  /// While a folder changes, some file systems show a replaced file twice or not at all; a second look makes up for it.
  private func recordNames(in path: String, _ stamp: FileStamp) throws -> [String] {
    let names = try SystemCalls.names(in: path, endingIn: RecordGroup.suffix)
    if try SystemCalls.status(of: path)?.stamp == stamp { return names }
    return Array(Set(names).union(try SystemCalls.names(in: path, endingIn: RecordGroup.suffix)))
  }

  /// The group of a folder: known, or learned from the first of its records that can be read.
  private func group(named name: String, with records: [String]) throws -> RecordGroup? {
    if let group = memory.withLock({ $0.groupsByName[name] }) { return group }
    var obstacle: (any Error)?
    for record in records {
      do {
        guard let key = try keyInside(folder.path + "/" + name + "/" + record + RecordGroup.suffix) else { continue }
        let group = place(of: key).group
        if group.name == name { return group }
      } catch {
        obstacle = error
      }
    }
    if let obstacle { throw obstacle }
    return nil
  }

  /// The key that stands in a file; `nil` when it is no record.
  private func keyInside(_ path: String) throws -> TokenCacheKey? {
    if let key = memory.withLock({ $0.hashedKeys[path] }) { return key }
    guard let key = try RecordFile.read(path, expecting: nil).file?.key else { return nil }
    if path.contains("/~") { memory.withLock { $0.hashedKeys[path] = key } }
    return key
  }
}
