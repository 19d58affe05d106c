import B2CConnector
import TestSupport

extension Row {
  static let keychainHit = Row(
    number: "18", title: "silent hit over the keychain cache, with a stand-in for the keychain",
    meaning: """
      On Apple's systems, a call must not wait for the keychain's process, which is a stand-in here. Without a named \
      group the SDK does not ask it again. With one it reads the record once, because another app of the group may have \
      changed it.
      """
  ) { _ in
    var measurements: [Measurement] = []
    for (name, isShared, calls) in [("without a named group", false, 0.0), ("in a named group", true, 1.0)] {
      let keychain = DictionaryKeychain(isShared: isShared)
      let cache = StoredTokenCache(KeychainStore(keychain))
      try await Scene.fill(cache, users: 1)
      let client = try Scene.connector(cache)
      for _ in 0..<2 { _ = try await client.accessToken() }
      _ = keychain.takeCalls()
      for _ in 0..<10 { _ = try await client.accessToken() }
      let made = Double(keychain.takeCalls().count) / 10
      measurements.append(Measurement(count: "\(name), keychain calls of a hit", made, "calls", goal: calls))
    }
    return measurements
  }
}
