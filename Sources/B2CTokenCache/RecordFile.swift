internal import Foundation

/// The content of one record's file or keychain item: a mark, the key it belongs to, the record.
///
/// The key is inside so that a file that was swapped with another is noticed.
struct RecordFile: Codable {
  private enum CodingKeys: String, CodingKey {
    case form = "b2cTokenRecord"
    case key, record
  }

  /// The key alone, which every form of the file keeps readable.
  private struct KeyOnly: Decodable {
    let form: Int
    let key: TokenCacheKey?

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      form = try container.decode(Int.self, forKey: .form)
      key = try? container.decode(TokenCacheKey.self, forKey: .key)
    }
  }

  private static let currentForm = 1
  /// No record comes near this; a larger file is not one.
  static let sizeLimit = 32 << 20

  let form: Int
  let key: TokenCacheKey
  let record: TokenRecord

  init(_ record: TokenRecord, for key: TokenCacheKey) {
    form = Self.currentForm
    self.key = key
    self.record = record
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    form = try container.decode(Int.self, forKey: .form)
    guard form <= Self.currentForm else {
      throw TokenCacheError.newerVersion(form, supported: Self.currentForm)
    }
    key = try container.decode(TokenCacheKey.self, forKey: .key)
    record = try container.decode(TokenRecord.self, forKey: .record)
  }

  /// Returns the bytes of the file.
  func bytes() throws(TokenCacheError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes]
    do {
      return Array(try encoder.encode(self))
    } catch {
      // The encoder's own error may quote the value, which is a secret.
      throw TokenCacheError(
        .unwritable, "The record holds a value that has no stored form, such as a date or number that is not finite.")
    }
  }

  /// Reads the record of a key.
  ///
  /// - Throws: ``TokenCacheError`` with code `damaged` and the reason alone as its message when the bytes are not that;
  ///   `newerVersion`.
  static func record(in bytes: [UInt8], for key: TokenCacheKey) throws(TokenCacheError) -> TokenRecord {
    try check(bytes)
    let file: RecordFile
    do {
      file = try JSONDecoder().decode(RecordFile.self, from: Data(bytes))
    } catch let error as TokenCacheError {
      throw error
    } catch {
      // The decoder's message may quote the content.
      throw TokenCacheError(.damaged, "its content is not a token record")
    }
    guard file.key == key else { throw TokenCacheError(.damaged, "it holds the record of another key") }
    return file.record
  }

  /// Reads the key alone.
  ///
  /// - Throws: As ``record(in:for:)``; `newerVersion` only when a newer form hides the key.
  static func key(in bytes: [UInt8]) throws(TokenCacheError) -> TokenCacheKey {
    try check(bytes)
    guard let file = try? JSONDecoder().decode(KeyOnly.self, from: Data(bytes)) else {
      throw TokenCacheError(.damaged, "its content is not a token record")
    }
    if let key = file.key { return key }
    guard file.form <= currentForm else { throw .newerVersion(file.form, supported: currentForm) }
    throw TokenCacheError(.damaged, "it names no key")
  }

  private static func check(_ bytes: [UInt8]) throws(TokenCacheError) {
    guard bytes.count <= sizeLimit else { throw TokenCacheError(.damaged, "it is too large") }
  }
}
