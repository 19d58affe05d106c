import B2CTokenCache
import Foundation

/// What `--broken` puts in the file cache's place: it writes over the old record, takes no lock and calls every trouble
/// an absence.
struct CarelessTokenCache: SharedTokenCache {
  private struct Kept: Codable {
    let key: TokenCacheKey
    let record: TokenRecord
  }

  let directory: URL

  init(directory: URL) throws {
    self.directory = directory
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    guard let data = FileManager.default.contents(atPath: path(key)) else { return nil }
    return try? JSONDecoder().decode(Kept.self, from: data).record
  }

  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    let data = try JSONEncoder().encode(Kept(key: key, record: record))
    _ = FileManager.default.createFile(atPath: path(key), contents: nil, attributes: [.posixPermissions: 0o600])
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path(key)))
    for start in stride(from: 0, to: data.count, by: 4096) {
      try handle.write(contentsOf: data[start..<min(start + 4096, data.count)])
    }
    try handle.close()
  }

  func removeRecord(for key: TokenCacheKey) async throws {
    try? FileManager.default.removeItem(atPath: path(key))
  }

  func keys() async throws -> [TokenCacheKey] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    return names.compactMap { name in
      FileManager.default.contents(atPath: directory.path + "/" + name)
        .flatMap { try? JSONDecoder().decode(Kept.self, from: $0).key }
    }
  }

  func update(
    _ key: TokenCacheKey, _ change: @escaping @Sendable (TokenRecord?) -> TokenRecord?
  ) async throws -> TokenRecord? {
    let new = change(try await record(for: key))
    if let new { try await store(new, for: key) } else { try await removeRecord(for: key) }
    return new
  }

  func withRefreshLock<Result: Sendable>(
    for key: TokenCacheKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await body()
  }

  private func path(_ key: TokenCacheKey) -> String {
    let name = "\(key.policy)-\(key.accountID)".replacingOccurrences(of: "/", with: "_")
    return directory.path + "/" + name
  }
}
