internal import Foundation

/// Keys as they are kept in a file or a keychain item, the newest first.
struct KeyRing: Codable, Sendable {
  private struct StoredKey: Codable {
    let id: String
    let key: String
  }

  private enum CodingKeys: String, CodingKey {
    case form = "b2cKeyRing"
    case keys
  }

  private static let currentForm = 1

  var keys: [EncryptionKey]

  init(keys: [EncryptionKey]) {
    self.keys = keys
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let form = try container.decode(Int.self, forKey: .form)
    guard form <= Self.currentForm else {
      throw TokenCacheError.newerVersion(form, supported: Self.currentForm)
    }
    keys = try container.decode([StoredKey].self, forKey: .keys).map { stored in
      try EncryptionKey(id: stored.id, bytes: Base64URL.decode(stored.key) ?? Data())
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.currentForm, forKey: .form)
    try container.encode(
      keys.map { StoredKey(id: $0.id, key: Base64URL.encode($0.bytes)) }, forKey: .keys)
  }

  /// The ring in its stored form, as secret as the keys.
  func bytes() throws(TokenCacheError) -> Data {
    do {
      return try JSONEncoder().encode(self)
    } catch {
      throw TokenCacheError(.encryptionUnavailable, "The encryption keys cannot be written down.")
    }
  }

  /// Reads a stored ring; its place goes into the error's words.
  init(_ data: Data, from place: String) throws(TokenCacheError) {
    do {
      self = try JSONDecoder().decode(KeyRing.self, from: data)
    } catch let error as TokenCacheError where error.code == .newerVersion {
      throw error
    } catch {
      // The decoder's words may quote a key, so they stay out.
      throw TokenCacheError(
        .encryptionUnavailable, "\(place) holds no encryption keys in a form that can be read.",
        recoverySuggestion: "Bring it back from a copy. Without it, the records that it sealed are lost.")
    }
  }
}
