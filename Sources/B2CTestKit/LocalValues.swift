internal import B2CCore
internal import B2CHTTP
internal import B2COAuth
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Queries and form bodies as dictionaries; of a doubled name the first value counts.
enum LocalForm {
  static func pairs(_ body: Data?) -> [String: String] {
    pairs(String(decoding: body ?? Data(), as: UTF8.self))
  }

  static func pairs(query url: URL?) -> [String: String] {
    pairs(url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }?.percentEncodedQuery ?? "")
  }

  static func pairs(_ text: String) -> [String: String] {
    Dictionary(FormEncoding.decode(text).map { ($0.name, $0.value) }) { first, _ in first }
  }
}

/// JSON in and out, with fields in the order of their names so that answers are the same every time.
enum LocalJSON {
  static func data(_ fields: [String: JSONValue]) -> Data { data(JSONValue.object(fields)) }

  static func data(_ value: some Encodable) -> Data {
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

extension URLRequest {
  /// The path of its URL.
  var path: String { url?.path ?? "" }

  /// The `Authorization` header's bearer token (RFC 6750 section 2.1).
  var bearerToken: String? {
    let value = value(forHTTPHeaderField: "Authorization") ?? ""
    return value.lowercased().hasPrefix("bearer ") ? String(value.dropFirst(7)) : nil
  }
}

/// Scheme, host and port of a URL as one text; empty for a URL that leads nowhere.
enum LocalOrigin {
  static func text(_ url: URL?) -> String { url.flatMap(Origin.init)?.description ?? "" }
}

/// URLs from texts that are known to be good.
enum LocalURL {
  static func make(_ text: String) -> URL {
    // An impossible name, such as one with spaces, ends in an origin without a server.
    URL(string: text) ?? URL(fileURLWithPath: "/")
  }
}

/// The forms in which the servers write a date.
enum LocalDates {
  /// The form in B2C's error descriptions: `2026-01-01 00:00:00Z`.
  static func timestamp(_ date: Date) -> String {
    Dates.internet(date).prefix(19).replacing("T", with: " ") + "Z"
  }

  /// Whole seconds since 1970, as claims count them.
  static func epoch(_ date: Date) -> Int64 { Int64(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0 }
}

/// Unguessable texts: codes, tokens, session ids.
enum RandomText {
  static func make(bytes count: Int = 32) -> String { RandomToken.make(bytes: count).value }

  static func guid() -> String { UUID().uuidString.lowercased() }
}

extension PKCE {
  /// Whether a text is 43 to 128 unreserved characters (section 4.1).
  static func isWellFormed(_ text: String) -> Bool {
    (43...128).contains(text.utf8.count) && FormEncoding.escape(text) == text
  }
}
