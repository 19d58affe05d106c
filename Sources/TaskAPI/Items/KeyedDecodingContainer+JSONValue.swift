/// How deep a member may nest that this package only carries along: each level costs stack, and background threads have
/// little of it.
let maximumUnknownDepth = 32

extension KeyedDecodingContainer {
  /// Reads a member of any type; numbers first, since the members that servers add are mostly counters.
  func jsonValue(forKey key: Key, depth: Int) throws -> JSONValue {
    if let number = try? decode(Int64.self, forKey: key) { return .integer(number) }
    if let text = try? decode(String.self, forKey: key) { return .string(text) }
    if try decodeNil(forKey: key) { return .null }
    if let flag = try? decode(Bool.self, forKey: key) { return .bool(flag) }
    if let number = try? decode(Double.self, forKey: key) { return .number(number) }
    if let members = try? nestedContainer(keyedBy: AnyMember.self, forKey: key) {
      return .object(try members.jsonMembers(depth: depth + 1))
    }
    var elements = try nestedUnkeyedContainer(forKey: key)
    return .array(try elements.jsonElements(depth: depth + 1))
  }
}

extension KeyedDecodingContainer<AnyMember> {
  fileprivate func jsonMembers(depth: Int) throws -> [String: JSONValue] {
    try checkDepth(depth, codingPath)
    var members: [String: JSONValue] = [:]
    for key in allKeys {
      members[key.stringValue] = try jsonValue(forKey: key, depth: depth)
    }
    return members
  }
}

extension UnkeyedDecodingContainer {
  fileprivate mutating func jsonElements(depth: Int) throws -> [JSONValue] {
    try checkDepth(depth, codingPath)
    var elements: [JSONValue] = []
    while !isAtEnd {
      elements.append(try jsonElement(depth: depth))
    }
    return elements
  }

  private mutating func jsonElement(depth: Int) throws -> JSONValue {
    // A decode that fails does not move on to the next element.
    if let number = try? decode(Int64.self) { return .integer(number) }
    if let text = try? decode(String.self) { return .string(text) }
    if try decodeNil() { return .null }
    if let flag = try? decode(Bool.self) { return .bool(flag) }
    if let number = try? decode(Double.self) { return .number(number) }
    if let members = try? nestedContainer(keyedBy: AnyMember.self) {
      return .object(try members.jsonMembers(depth: depth + 1))
    }
    var elements = try nestedUnkeyedContainer()
    return .array(try elements.jsonElements(depth: depth + 1))
  }
}

private struct AnyMember: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) {
    self.stringValue = stringValue
  }

  init?(intValue: Int) { nil }
}

private func checkDepth(_ depth: Int, _ path: [any CodingKey]) throws {
  guard depth <= maximumUnknownDepth else {
    throw DecodingError.dataCorrupted(
      .init(codingPath: path, debugDescription: "The member nests deeper than \(maximumUnknownDepth) levels."))
  }
}
