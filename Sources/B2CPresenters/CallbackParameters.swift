package import B2CCore
package import Foundation

/// The parameters of a callback: from the query, else from the fragment.
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
    // RFC 6749 section 3.1 allows no parameter twice. What only describes an error does no harm, and the first counts.
    for name in ["code", "state", "iss", "error"] where pairs.count(where: { ASCIIText.isSame($0.name, name) }) > 1 {
      throw ConnectorError(own: .invalidResponse, "The callback has a parameter twice.")
    }
  }

  /// The parameters in order, from the one part of a callback URL that counts.
  ///
  /// Facebook leaves a fragment `#_=_` behind a query, so the query comes first and a fragment that holds no answer is
  /// ignored.
  package static func pairs(of url: URL) -> [(name: String, value: String)] {
    let text = url.absoluteString
    let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let query = parts[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first
    let inQuery = FormEncoding.decode(query ?? "")
    let inFragment = parts.count > 1 ? FormEncoding.decode(parts[1]) : []
    let answers = ["code", "error", "state"]
    // By bytes: `==` takes more than linear time for a name of combining marks.
    return inQuery.contains { pair in answers.contains { ASCIIText.isSame($0, pair.name) } } ? inQuery : inFragment
  }

  package subscript(name: String) -> String? { pairs.first { ASCIIText.isSame($0.name, name) }?.value }
}
