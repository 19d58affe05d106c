/// What a server says in the body of a refusal: restify's `code` and `message`, OAuth's `error` and
/// `error_description`, Microsoft Graph's `error` object, and RFC 9457's `title` and `detail`.
struct ServerErrorBody: Decodable {
  /// A body beyond this is not searched for a code.
  static let maximumBytes = 65_536

  let code: String?
  let message: String?
  let requestID: String?

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Member.self)
    let inner = try? container.nestedContainer(keyedBy: Member.self, forKey: .error)
    let innermost = try? inner?.nestedContainer(keyedBy: Member.self, forKey: .innerError)
    code = inner?.text(.code) ?? container.text(.code) ?? container.text(.error)
    message =
      inner?.text(.message) ?? container.text(.message) ?? container.text(.errorDescription)
      ?? container.text(.detail) ?? container.text(.title)
    requestID = innermost?.text(.requestID) ?? inner?.text(.requestID) ?? container.text(.requestID)
  }

  enum Member: String, CodingKey {
    case code, message, error, innerError, detail, title
    case errorDescription = "error_description"
    case requestID = "request-id"
  }
}

extension KeyedDecodingContainer<ServerErrorBody.Member> {
  fileprivate func text(_ key: Key) -> String? {
    if let text = try? decode(String.self, forKey: key) { return text }
    return (try? decode(Int.self, forKey: key)).map(String.init)
  }
}
