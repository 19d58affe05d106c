internal import B2CCore
internal import Foundation

/// JSON in and out, with members in the order of their names so that answers are the same every time.
enum LocalJSON {
  static func data(_ members: [String: JSONValue]) -> Data { data(JSONValue.object(members)) }

  static func data(_ value: JSONValue) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Fails only for a number that is not finite.
    return (try? encoder.encode(value)) ?? Data("null".utf8)
  }

  static func object(_ data: Data?) -> [String: JSONValue]? {
    guard let data else { return nil }
    return (try? JSONDecoder().decode(JSONValue.self, from: data))?.object
  }
}
