/// A member's name in the stored form, any name: what is not known has to be kept too.
struct MemberName: CodingKey, Hashable, ExpressibleByStringLiteral {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) {
    self.stringValue = stringValue
  }

  init(stringLiteral value: String) {
    self.stringValue = value
  }

  init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer<MemberName> {
  /// Reads every member that is not among the known ones.
  func decodeUnknown(besides known: Set<MemberName>) throws -> [String: JSONValue] {
    var unknown: [String: JSONValue] = [:]
    for name in allKeys where !known.contains(name) {
      unknown[name.stringValue] = try decode(JSONValue.self, forKey: name)
    }
    return unknown
  }
}

extension KeyedEncodingContainer<MemberName> {
  /// Writes the members that were not known back; a known name is never written twice.
  mutating func encodeUnknown(_ members: [String: JSONValue], besides known: Set<MemberName>) throws {
    for (name, value) in members {
      let name = MemberName(stringValue: name)
      if !known.contains(name) { try encode(value, forKey: name) }
    }
  }
}
