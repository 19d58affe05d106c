internal import B2CCore
internal import B2CHTTP
internal import B2COAuth
internal import Foundation

extension URLRequest {
  /// The path of the request's URL, or an empty text.
  var path: String { url?.path ?? "" }

  /// The values of the query by name, the first one if a name occurs twice.
  var queryValues: [String: String] { Self.values(url?.query(percentEncoded: true) ?? "") }

  /// The values of a form body by name.
  var formValues: [String: String] { Self.values(String(decoding: httpBody ?? Data(), as: UTF8.self)) }

  private static func values(_ text: String) -> [String: String] {
    let pairs = FormEncoding.decode(text).map { (CombiningMarks.cut($0.name), CombiningMarks.cut($0.value)) }
    return Dictionary(pairs) { first, _ in first }
  }

  /// The bearer token in the `Authorization` header (RFC 6750 section 2.1).
  var bearerToken: String? {
    let value = value(forHTTPHeaderField: "Authorization") ?? ""
    return value.lowercased().hasPrefix("bearer ") ? String(value.dropFirst(7)) : nil
  }
}

/// An encoder that sorts the fields by name, so that a response has the same bytes in each run.
enum LocalJSON {
  static func data(_ value: some Encodable) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // The encoder throws only for a number that is not finite.
    return (try? encoder.encode(value)) ?? Data("null".utf8)
  }
}

enum LocalURL {
  /// Returns the URL of a text that is known to be one.
  ///
  /// A tenant name with a space, for example, makes no URL. The result then is a URL that no server serves.
  static func make(_ text: String) -> URL { URL(string: text) ?? URL(fileURLWithPath: "/") }

  /// Returns a URL's scheme, host and port as one text, or an empty text if it has none.
  static func origin(_ url: URL?) -> String { url.flatMap { Origin($0) }?.description ?? "" }
}

extension Date {
  /// The number of whole seconds since 1970, as in the claims of a token.
  var epoch: Int64 { Int64(exactly: timeIntervalSince1970.rounded(.down)) ?? 0 }
}

/// Texts that cannot be guessed, for codes, tokens and session ids.
enum RandomText {
  static func make() -> String { RandomToken.make(bytes: 32).value }

  static func guid() -> String { UUID().uuidString.lowercased() }
}

extension PKCE {
  /// Whether a text consists of 43 to 128 unreserved characters (RFC 7636 section 4.1).
  static func isWellFormed(_ text: String) -> Bool {
    (43...128).contains(text.utf8.count) && FormEncoding.escape(text) == text
  }
}
