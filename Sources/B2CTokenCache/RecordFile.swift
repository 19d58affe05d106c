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

  /// Reads the record of a key; the reason when the bytes are not that.
  ///
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/newerVersion``.
  static func record(
    in bytes: [UInt8], for key: TokenCacheKey
  ) throws(TokenCacheError) -> Result<TokenRecord, Damage> {
    do {
      let file = try JSONDecoder().decode(RecordFile.self, from: Data(bytes))
      return file.key == key ? .success(file.record) : .failure(Damage("it holds the record of another key"))
    } catch let error as TokenCacheError {
      throw error
    } catch {
      // The decoder's message may quote the content.
      return .failure(Damage("its content is not a token record"))
    }
  }

  /// Reads the key alone.
  ///
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/newerVersion`` when a newer form hides it.
  static func key(in bytes: [UInt8]) throws(TokenCacheError) -> Result<TokenCacheKey, Damage> {
    guard let file = try? JSONDecoder().decode(KeyOnly.self, from: Data(bytes)) else {
      return .failure(Damage("its content is not a token record"))
    }
    if let key = file.key { return .success(key) }
    guard file.form <= currentForm else { throw .newerVersion(file.form, supported: currentForm) }
    return .failure(Damage("it names no key"))
  }

  /// The reason why bytes are not a record.
  struct Damage: Error {
    let reason: String

    init(_ reason: String) {
      self.reason = reason
    }
  }
}
