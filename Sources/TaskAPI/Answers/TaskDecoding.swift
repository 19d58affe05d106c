internal import Foundation

/// Turns bodies into tasks, and whatever is wrong with them into one kind of error.
struct TaskDecoding: Sendable {
  private let decoder: JSONDecoder

  init(_ dialect: TaskDialect) {
    decoder = JSONDecoder()
    if let key = CodingUserInfoKey.taskDialect {
      decoder.userInfo[key] = dialect
    }
  }

  func list(_ body: Data) throws(Unreadable) -> [TaskItem] {
    try decode([TaskItem].self, from: body)
  }

  func item(_ body: Data) throws(Unreadable) -> TaskItem {
    try decode(TaskItem.self, from: body)
  }

  private func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws(Unreadable) -> Value {
    do {
      return try decoder.decode(type, from: body)
    } catch let error as DecodingError {
      throw Unreadable(reason: Self.reason(error, body))
    } catch {
      throw Unreadable(reason: "is not JSON")
    }
  }

  /// What is wrong with a body, in words that follow "the answer".
  struct Unreadable: Error {
    let reason: String
  }

  private static func reason(_ error: DecodingError, _ body: Data) -> String {
    switch error {
    case .typeMismatch(_, let context): "has the wrong type at \(path(context))"
    case .valueNotFound(_, let context): "has null at \(path(context))"
    case .keyNotFound(_, let context): "has no text (task or Text) at \(path(context))"
    case .dataCorrupted(let context) where context.codingPath.isEmpty: broken(body)
    case .dataCorrupted(let context): "has a value that cannot be read at \(path(context))"
    @unknown default: "is not JSON"
    }
  }

  private static func path(_ context: DecodingError.Context) -> String {
    let path =
      context.codingPath.prefix(8).map { key in
        key.intValue.map { "[\($0)]" } ?? "." + key.stringValue.prefix(40)
      }
    // Names of members are the server's, and may be anything.
    let text = path.isEmpty ? "the top" : path.joined()
    return ServerText(hiding: []).show(Array(text.utf8)) ?? "the top"
  }

  private static func broken(_ body: Data) -> String {
    switch body.first(where: { !$0.isJSONSpace }) {
    case nil: "is empty"
    case UInt8(ascii: "<"): "is HTML or XML instead of JSON"
    default: "is broken JSON"
    }
  }
}

extension UInt8 {
  fileprivate var isJSONSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
