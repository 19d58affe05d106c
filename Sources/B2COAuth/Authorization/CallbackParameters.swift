internal import B2CCore
internal import Foundation

/// The parameters of a callback: from the query, else from the fragment; each at most once.
struct CallbackParameters {
  private let values: [String: String]

  /// Reads a callback URL.
  ///
  /// Facebook leaves a fragment `#_=_` behind a query, so the query comes first and a fragment that holds no answer is
  /// passed over.
  init(_ url: URL) throws(OAuthError) {
    let text = url.absoluteString
    guard text.utf8.count <= 65_536 else {
      throw OAuthError(.invalidCallback, "The callback URL is longer than 64 KiB.")
    }
    let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let query = parts[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first
    let inQuery = FormEncoding.decode(query ?? "")
    let inFragment = parts.count > 1 ? FormEncoding.decode(parts[1]) : []
    let answers = ["code", "error", "state"]
    let pairs = inQuery.contains { answers.contains($0.name) } ? inQuery : inFragment
    var values: [String: String] = [:]
    for pair in pairs {
      // RFC 6749 section 3.1: parameters must not be included more than once.
      guard values.updateValue(pair.value, forKey: pair.name) == nil else {
        throw OAuthError(.invalidCallback, "The callback has a parameter twice.")
      }
    }
    self.values = values
  }

  subscript(name: String) -> String? { values[name] }
}
