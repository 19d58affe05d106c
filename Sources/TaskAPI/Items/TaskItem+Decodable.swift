internal import Foundation

extension TaskItem: Decodable {
  /// Reads a task document of either dialect; members with other names are kept in ``unknownMembers``.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` when the text is missing, a member has the wrong type, the date is not ISO 8601, or an
  ///   unknown member nests deeper than 32 levels.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: TaskMember.self)
    var others: [String: JSONValue] = [:]
    id = try container.decodeIfPresent(String.self, forKey: .id)
    ownerName = try container.decodeIfPresent(String.self, forKey: .owner)
    completed = try container.decodeIfPresent(Bool.self, forKey: .completed) ?? false
    creationDate = try Self.date(in: container)
    revision = try? container.decodeIfPresent(Int64.self, forKey: .version)
    if revision == nil, container.contains(.version) {
      others[TaskMember.version.stringValue] = try container.jsonValue(forKey: .version, depth: 0)
    }
    for key in container.allKeys {
      others[key.stringValue] = try container.jsonValue(forKey: key, depth: 0)
    }
    if let name = try container.decodeIfPresent(String.self, forKey: .tutorialName) {
      itemName = try others.isEmpty ? name : Self.name(name, in: container, of: decoder, &others)
    } else {
      itemName = try container.decode(String.self, forKey: .repositoryName)
      others[TaskMember.repositoryName.stringValue] = nil
    }
    otherMembers = others
  }

  /// Settles which of two names is the text, the configured one; the other goes along unread.
  private static func name(
    _ name: String, in container: KeyedDecodingContainer<TaskMember>, of decoder: any Decoder,
    _ others: inout [String: JSONValue]
  ) throws -> String {
    let repositoryName = TaskMember.repositoryName
    guard others[repositoryName.stringValue] != nil,
      CodingUserInfoKey.taskDialect.flatMap({ decoder.userInfo[$0] as? TaskDialect }) == .repository
    else { return name }
    others[repositoryName.stringValue] = nil
    others[TaskMember.tutorialName.stringValue] = .string(name)
    return try container.decode(String.self, forKey: repositoryName)
  }

  private static func date(in container: KeyedDecodingContainer<TaskMember>) throws -> Date? {
    guard let text = try container.decodeIfPresent(String.self, forKey: .date) else { return nil }
    guard let date = ISO8601.date(from: text) else {
      throw DecodingError.dataCorruptedError(
        forKey: .date, in: container, debugDescription: "The date is not in a form of ISO 8601 that is known here.")
    }
    return date
  }
}

extension CodingUserInfoKey {
  /// Which dialect wins in a document that has both names.
  static let taskDialect = CodingUserInfoKey(rawValue: "TaskAPI.dialect")
}
