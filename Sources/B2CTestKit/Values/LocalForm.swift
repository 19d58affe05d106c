internal import B2CCore
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
