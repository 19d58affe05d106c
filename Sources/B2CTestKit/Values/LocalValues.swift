internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// Queries and form bodies as dictionaries; of a doubled name the first value counts.
enum LocalForm {
  static func pairs(_ body: Data?) -> [String: String] {
    pairs(String(decoding: body ?? Data(), as: UTF8.self))
  }

  static func pairs(query url: URL) -> [String: String] {
    pairs(URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedQuery ?? "")
  }

  static func pairs(_ text: String) -> [String: String] {
    Dictionary(FormEncoding.decode(text).map { ($0.name, $0.value) }) { first, _ in first }
  }
}

/// JSON in and out, with fields in the order of their names so that answers are the same every time.
enum LocalJSON {
  static func data(_ fields: [String: JSONValue]) -> Data { data(JSONValue.object(fields)) }

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

/// The `Authorization` header's bearer token (RFC 6750 section 2.1).
enum LocalBearer {
  static func token(in headers: TransportRequest.Headers) -> String? {
    guard let value = headers["Authorization"] else { return nil }
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }
}

/// Scheme, host and port of a URL as one text in lower case, the port only where it is not the scheme's own.
enum LocalOrigin {
  static func text(_ url: URL) -> String {
    let scheme = (url.scheme ?? "").lowercased()
    let host = (url.host ?? "").lowercased()
    let shownHost = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    guard let port = url.port, port != (scheme == "https" ? 443 : 80) else { return "\(scheme)://\(shownHost)" }
    return "\(scheme)://\(shownHost):\(port)"
  }
}

/// URLs from texts that are known to be good.
enum LocalURL {
  static func make(_ text: String) -> URL {
    // An impossible name, such as one with spaces, ends in an origin without a server.
    URL(string: text) ?? URL(fileURLWithPath: "/")
  }
}
