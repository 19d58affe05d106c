package import B2CCore
package import Foundation

/// The parameters of a callback, from its query or else from its fragment.
package struct CallbackParameters {
  private let pairs: [(name: String, value: String)]

  /// Reads a callback URL.
  package init(_ url: URL) throws(ConnectorError) {
    guard url.absoluteString.utf8.count <= 65_536 else {
      throw ConnectorError(own: .invalidResponse, "The callback URL is longer than 64 KiB.")
    }
    pairs = Self.pairs(of: url)
    guard !pairs.flatMap({ [$0.name, $0.value] }).contains(where: CombiningMarks.areTooMany) else {
      throw ConnectorError(
        own: .invalidResponse,
        "The callback has a parameter with more than \(CombiningMarks.maximumRun) combining marks in a row.")
    }
    // RFC 6749 section 3.1 allows no parameter twice. Parameters that only describe an error are harmless, so their
    // first value counts.
    for name in ["code", "state", "iss", "error"] where pairs.count(where: { ASCIIText.isSame($0.name, name) }) > 1 {
      throw ConnectorError(own: .invalidResponse, "The callback contains a parameter twice.")
    }
  }

  /// Returns the parameters in order, from the part of the callback URL that contains the answer.
  ///
  /// Facebook appends the fragment `#_=_` to a query, so the query counts first, and the fragment only if the query
  /// contains no answer.
  package static func pairs(of url: URL) -> [(name: String, value: String)] {
    let text = url.absoluteString
    let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let query = parts[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first
    let inQuery = FormEncoding.decode(query ?? "")
    let inFragment = parts.count > 1 ? FormEncoding.decode(parts[1]) : []
    let answers = ["code", "error", "state"]
    // Compare bytes, because `==` takes more than linear time for a name of combining marks.
    return inQuery.contains { pair in answers.contains { ASCIIText.isSame($0, pair.name) } } ? inQuery : inFragment
  }

  package subscript(name: String) -> String? { pairs.first { ASCIIText.isSame($0.name, name) }?.value }
}
