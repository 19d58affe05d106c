import B2CTokenCache
import Foundation

/// The cache under proof.
///
/// `.ci/sqlite-cache` puts another one in this file's place.
enum ProofCache {
  static func open(_ url: URL, isBroken: Bool = false, lockTimeout: Duration = .seconds(120)) throws
    -> any SharedTokenCache
  {
    isBroken
      ? try CarelessTokenCache(directory: url) : try FileTokenCache(directory: url, lockTimeout: lockTimeout)
  }
}
