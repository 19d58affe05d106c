internal import B2CCore
internal import Foundation

/// One record of the cache with its key: what one person granted by one policy.
struct Grant: Sendable {
  let key: TokenCacheKey
  let record: TokenRecord
}
