extension TaskItem: Encodable {
  /// Writes the whole document with the tutorial's member names, for an app that keeps tasks of its own.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: `EncodingError` when a number in ``unknownMembers`` is not finite.
  public func encode(to encoder: any Encoder) throws {
    try document(in: .tutorial).encode(to: encoder)
  }

  /// The whole document, with what the server alone sets.
  func document(in dialect: TaskDialect) -> JSONValue {
    var members = unknownMembers
    members[dialect.nameKey] = .string(itemName)
    members["completed"] = .bool(completed)
    members["_id"] = id.map(JSONValue.string)
    members["owner"] = ownerName.map(JSONValue.string)
    members["date"] = creationDate.map { .string(ISO8601.text(from: $0)) }
    return .object(members)
  }

  /// What a client says of a new task: nothing that the server decides.
  func draft(in dialect: TaskDialect) -> JSONValue {
    var members = unknownMembers.filter { name, _ in
      // Underscored members, such as `_id` and `__v`, are the database's own.
      !name.hasPrefix("_") && !["owner", "date", "task", "Text", "completed"].contains(name)
    }
    members[dialect.nameKey] = .string(itemName)
    if completed { members["completed"] = .bool(true) }
    return .object(members)
  }

  /// What a client may change.
  func change(in dialect: TaskDialect) -> JSONValue {
    .object([dialect.nameKey: .string(itemName), "completed": .bool(completed)])
  }
}
