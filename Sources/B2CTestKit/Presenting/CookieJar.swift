internal import B2CHTTP
internal import Foundation

/// Cookies by origin, as far as sign-in pages need them (RFC 6265): no domains, no paths, no dates.
struct CookieJar: Sendable {
  private var cookies: [String: [String: String]] = [:]

  /// The `Cookie` header for a URL.
  func header(for url: URL) -> String? {
    guard let own = cookies[LocalOrigin.text(url)], !own.isEmpty else { return nil }
    return own.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
  }

  /// Keeps what an answer sets.
  mutating func keep(_ headers: HTTPHeaders, from url: URL) {
    // Some transports join several fields into one with a comma.
    for text in headers.values(of: "Set-Cookie").flatMap({ $0.components(separatedBy: ", ") }) {
      let parts = text.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
      guard let pair = parts.first?.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false),
        pair.count == 2, !pair[0].isEmpty
      else { continue }
      let isEnded = parts.dropFirst().contains { $0.lowercased() == "max-age=0" }
      cookies[LocalOrigin.text(url), default: [:]][String(pair[0])] = isEnded ? nil : String(pair[1])
    }
  }

  /// The cookies of an origin by name.
  func all(for url: URL) -> [String: String] { cookies[LocalOrigin.text(url)] ?? [:] }
}
