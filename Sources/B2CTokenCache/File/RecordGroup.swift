internal import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import Crypto
#endif

/// The records of one authority, policy and client: they share a folder.
///
/// The folder is named by a hash of the three, and a file by its account, so that listing a folder of many thousand
/// accounts tells their keys without opening any but one of them.
final class RecordGroup: Sendable {
  /// What the records of a group have in common.
  struct Identity: Hashable, Sendable {
    let authority: String
    let policy: String
    let clientID: String

    init(_ key: TokenCacheKey) {
      authority = key.authority
      policy = key.policy
      clientID = key.clientID
    }

    /// The folder's name.
    var name: String {
      let text = [authority, policy, clientID].map(FormEncoding.escape).joined(separator: "|")
      return Self.hexadecimal(SHA256.hash(data: Data(text.utf8)).prefix(16))
    }

    fileprivate static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }

  static let suffix = ".json"
  static let asideMark = ".set-aside-"
  private static let longestAccount = 160
  private static let hashMark = "~"

  let identity: Identity
  let name: String
  let path: String

  init(_ identity: Identity, in folder: CacheFolder) {
    self.identity = identity
    name = identity.name
    path = folder.path + "/" + name
  }

  /// Whether a name in the cache's folder can be a group's.
  static func isName(_ name: String) -> Bool {
    name.utf8.count == 32 && name.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }

  /// The name of an account's file: the account itself where that is short enough, else a hash of it.
  func fileName(of accountID: String) -> String {
    let escaped = FormEncoding.escape(accountID)
    // A leading dot is escaped too, so that no account makes a hidden file; `~` stands for a hash.
    let isPlain = escaped.utf8.count <= Self.longestAccount && !escaped.hasPrefix(".") && !escaped.hasPrefix("~")
    if isPlain && !escaped.isEmpty { return escaped + Self.suffix }
    let hash = SHA256.hash(data: Data(accountID.utf8))
    return Self.hashMark + Identity.hexadecimal(hash) + Self.suffix
  }

  /// The path of an account's file.
  func filePath(of accountID: String) -> String {
    path + "/" + fileName(of: accountID)
  }

  /// The key that a file name without its suffix stands for; `nil` when only the file itself can tell.
  func key(ofName name: String) -> TokenCacheKey? {
    guard !name.hasPrefix(Self.hashMark) else { return nil }
    return TokenCacheKey(
      authority: identity.authority, policy: identity.policy, clientID: identity.clientID,
      accountID: name.utf8.contains(UInt8(ascii: "%")) ? FormEncoding.unescape(name) : name)
  }
}
