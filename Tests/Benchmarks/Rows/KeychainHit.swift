import B2CConnector
import B2CTokenCache
import Foundation
import TestSupport

extension Row {
  static let keychainHit = Row(
    number: "18", title: "silent hit over the keychain cache, with a stand-in for the keychain",
    meaning: """
      On Apple's systems, a call must not wait for the keychain's process. The keychain here is a stand-in that takes \
      100 µs for each call. Without a named group the SDK does not ask it again. With one it reads the record once, \
      because another app of the group may have changed it. The baseline is the same hit over a cache in memory.
      """
  ) { context in
    let memory = try Scene.connector(try await Scene.memoryCache(users: 1))
    _ = try await memory.accessToken()
    var measurements: [Measurement] = []
    for (name, isShared, calls) in [("without a named group", false, 0.0), ("in a named group", true, 1.0)] {
      let keychain = DictionaryKeychain(isShared: isShared)
      let cache = StoredTokenCache(KeychainStore(keychain))
      try await Scene.fill(cache, users: 1)
      let client = try Scene.connector(cache)
      for _ in 0..<2 { _ = try await client.accessToken() }
      keychain.afterCalls { _ in usleep(100) }
      _ = keychain.takeCalls()
      for _ in 0..<10 { _ = try await client.accessToken() }
      let made = keychain.takeCalls()
      measurements.append(
        Measurement(count: "\(name), keychain calls of a hit", Double(made.count) / 10, "calls", goal: calls))
      let pairs = try await Pairs.compare(context) { count in
        for _ in 0..<count { _ = try await memory.accessToken() }
      } subject: { count in
        for _ in 0..<count { _ = try await client.accessToken() }
      }
      measurements.append(Measurement("\(name), hit against one in memory", pairs))
    }
    return measurements
  }
}
