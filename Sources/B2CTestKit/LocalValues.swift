internal import B2CCore
internal import B2CHTTP
internal import B2COAuth
internal import Foundation

extension URLRequest {
  /// The path of its URL.
  var path: String { url?.path ?? "" }

  /// The query's values by name; of a doubled name the first counts.
  var queryValues: [String: String] { Self.values(url?.query(percentEncoded: true) ?? "") }

  /// The values of a form body by name.
  var formValues: [String: String] { Self.values(String(decoding: httpBody ?? Data(), as: UTF8.self)) }

  private static func values(_ text: String) -> [String: String] {
    let pairs = FormEncoding.decode(text).map { (CombiningMarks.cut($0.name), CombiningMarks.cut($0.value)) }
    return Dictionary(pairs) { first, _ in first }
  }

  /// The `Authorization` header's bearer token (RFC 6750 section 2.1).
  var bearerToken: String? {
    let value = value(forHTTPHeaderField: "Authorization") ?? ""
    return value.lowercased().hasPrefix("bearer ") ? String(value.dropFirst(7)) : nil
  }
}

/// JSON with fields in the order of their names, so that answers are the same every time.
enum LocalJSON {
  static func data(_ value: some Encodable) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Fails only for a number that is not finite.
    return (try? encoder.encode(value)) ?? Data("null".utf8)
  }
}

enum LocalURL {
  /// Makes a URL from a text that is known to be good.
  ///
  /// An impossible name, such as one with spaces, ends in an origin without a server.
  static func make(_ text: String) -> URL { URL(string: text) ?? URL(fileURLWithPath: "/") }

  /// Returns scheme, host and port of a URL as one text; empty for a URL that leads nowhere.
  static func origin(_ url: URL?) -> String { url.flatMap { Origin($0) }?.description ?? "" }
}

extension Date {
  /// Whole seconds since 1970, as claims count them.
  var epoch: Int64 { Int64(exactly: timeIntervalSince1970.rounded(.down)) ?? 0 }
}

/// Unguessable texts: codes, tokens, session ids.
enum RandomText {
  static func make() -> String { RandomToken.make(bytes: 32).value }

  static func guid() -> String { UUID().uuidString.lowercased() }
}

extension PKCE {
  /// Whether a text is 43 to 128 unreserved characters (section 4.1).
  static func isWellFormed(_ text: String) -> Bool {
    (43...128).contains(text.utf8.count) && FormEncoding.escape(text) == text
  }
}
