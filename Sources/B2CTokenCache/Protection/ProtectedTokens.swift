internal import B2CCore
internal import Foundation

/// The refresh tokens of a cache's records in protected items, `<key>#<generation>`.
///
/// A token that replaces another is added under a higher number before the old item is removed, so that one of the two is
/// good at any moment; the highest number is the newest. Its calls block; those that ask run on a queue of their own.
struct ProtectedTokens: Sendable {
  let items: any ProtectedKeychainItems

  private static func account(_ key: String, _ generation: Int) -> String { "\(key)#\(generation)" }

  /// The numbers of a key's items, the highest first.
  ///
  /// - Parameters:
  ///   - key: The record's key, as canonical text.
  ///   - known: The number that the record names, which is tried also where the items cannot be listed.
  ///   - group: Where they are.
  /// - Returns: The numbers.
  /// - Throws: The keychain's refusal.
  func generations(of key: String, known: Int?, in group: String) throws(KeychainStatus) -> [Int] {
    // What may not be listed may still be read.
    var found = try listed(key, in: group) ?? []
    if let known { found.insert(known) }
    return found.sorted(by: >)
  }

  /// The numbers of a key's items; `nil` where they may not be listed without a question, which listing must not ask.
  private func listed(_ key: String, in group: String) throws(KeychainStatus) -> Set<Int>? {
    do throws(KeychainStatus) {
      let prefix = Self.account(key, 0).dropLast()
      return Set(
        try items.accounts(in: group).filter { $0.hasPrefix(prefix) }.compactMap { Int($0.dropFirst(prefix.count)) })
    } catch {
      switch error {
      case .itemNotFound: return []
      case .interactionNotAllowed: return nil
      default: throw error
      }
    }
  }

  /// Adds a token as the newest of its key.
  func add(
    _ token: Secret, of key: String, known: Int?, in group: String, with authentication: (any KeychainAuthentication)?
  ) throws(TokenCacheError) -> ProtectedRefreshToken {
    var generation: Int
    do throws(KeychainStatus) {
      generation = (try generations(of: key, known: known, in: group).first ?? 0) + 1
    } catch {
      throw error.error(.unwritable, "list the protected refresh tokens")
    }
    while true {
      do throws(ProtectedItemFailure) {
        try items.add(
          Data(token.value.utf8), account: Self.account(key, generation), in: group, with: authentication)
        return ProtectedRefreshToken(token, generation: generation)
      } catch .refused(.duplicateItem) {
        generation += 1
      } catch {
        throw error.error(.unwritable, "protect a refresh token")
      }
    }
  }

  /// Asks the user for the newest token that can be read; `nil` when all are gone.
  func token(
    of key: String, _ generations: [Int], in group: String, with authentication: any KeychainAuthentication
  ) throws(TokenCacheError) -> Secret? {
    for generation in generations {
      do throws(ProtectedItemFailure) {
        let data = try items.data(Self.account(key, generation), in: group, with: authentication)
        return Secret(String(decoding: data, as: UTF8.self))
      } catch {
        guard error == .gone else { throw error.error(.unreadable, "give out a protected refresh token") }
      }
    }
    return nil
  }

  /// Removes a key's items, except one.
  ///
  /// Where they may not be listed, the one that the record names goes, and its neighbours: a killed process leaves no other.
  ///
  /// - Parameters:
  ///   - key: The record's key, as canonical text.
  ///   - kept: The number of the item that stays.
  ///   - known: The number that the record names.
  ///   - mustFind: Whether it is an error that they can neither be listed nor are known.
  ///   - group: Where they are.
  /// - Throws: The keychain's refusal.
  func remove(
    _ key: String, except kept: Int? = nil, known: Int?, mustFind: Bool = false, in group: String
  ) throws(KeychainStatus) {
    let found = try listed(key, in: group) ?? known.map { [$0 - 1, $0, $0 + 1] }
    guard let generations = found else {
      if mustFind { throw .interactionNotAllowed }
      return
    }
    for generation in generations where generation != kept { try remove(key, generation: generation, in: group) }
  }

  /// Removes one item, if it is there.
  func remove(_ key: String, generation: Int, in group: String) throws(KeychainStatus) {
    do throws(KeychainStatus) {
      try items.remove(Self.account(key, generation), in: group)
    } catch {
      guard error == .itemNotFound else { throw error }
    }
  }
}
