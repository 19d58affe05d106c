internal import Foundation

/// The content of one record's file: a mark, the key it belongs to, the record.
///
/// The key stands inside so that a file that was swapped with another is noticed.
struct RecordFile: Codable {
  /// What a file turned out to be.
  enum Finding {
    case record(TokenRecord, FileStamp)
    case missing
    /// Not a record of this key; the text says why.
    case foreign(String)
  }

  /// The form of the file around the record.
  static let currentForm = 1
  /// No record comes near this; a larger file is none of ours.
  static let sizeLimit = 32 << 20

  private enum CodingKeys: String, CodingKey {
    case form = "b2cTokenRecord"
    case key, record
  }

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

  /// The bytes of the file.
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

  /// Reads a file and says what it is; without a key, the file may belong to any.
  static func read(_ path: String, expecting key: TokenCacheKey?) throws -> (file: RecordFile?, finding: Finding) {
    let descriptor: Int32
    do throws(SystemFailure) {
      descriptor = try SystemCalls.openFile(path, for: .reading)
    } catch {
      if error.isMissing { return (nil, .missing) }
      if error.isSymbolicLink { return (nil, .foreign("it is a symbolic link")) }
      throw TokenCacheError.unreadable("A token record cannot be opened", error)
    }
    defer { SystemCalls.closeFile(descriptor) }
    do {
      let status = try SystemCalls.status(of: descriptor, at: path)
      guard status.kind == .regularFile else { return (nil, .foreign("it is not a regular file")) }
      try check(status, path)
      let bytes = try SystemCalls.readBytes(
        descriptor, at: path, expecting: Int(clamping: status.stamp.size), limit: sizeLimit)
      guard bytes.count <= sizeLimit else { return (nil, .foreign("it is too large")) }
      return try parse(bytes, status.stamp, expecting: key)
    } catch let failure as SystemFailure {
      throw TokenCacheError.unreadable("A token record cannot be read", failure)
    }
  }

  private static func parse(
    _ bytes: [UInt8], _ stamp: FileStamp, expecting key: TokenCacheKey?
  ) throws -> (file: RecordFile?, finding: Finding) {
    let file: RecordFile
    do {
      file = try JSONDecoder().decode(RecordFile.self, from: Data(bytes))
    } catch let error as TokenCacheError {
      throw error
    } catch {
      // The decoder's words may quote the content, so they stay out.
      return (nil, .foreign("its content is not a token record"))
    }
    if let key, file.key != key { return (file, .foreign("it holds the record of another key")) }
    return (file, .record(file.record, stamp))
  }

  private static func check(_ status: FileStatus, _ path: String) throws(TokenCacheError) {
    guard status.mode & 0o077 == 0 else {
      throw TokenCacheError(
        .insecurePermissions,
        "\(path) is open to other users (mode \(String(status.mode, radix: 8))).",
        recoverySuggestion: "Take their permission away: chmod 600 \(path)")
    }
  }
}
