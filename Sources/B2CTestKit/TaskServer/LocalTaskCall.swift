internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// A request for tasks with everything read from it.
struct LocalTaskCall: Sendable {
  let request: TransportRequest
  let claims: [String: JSONValue]
  let owner: String?
  /// The path's parts behind the base path.
  let segments: [String]
  /// Members of the JSON or form body, then of the query, then what the path says.
  let parameters: [String: JSONValue]

  func text(_ name: String) -> String? {
    guard let text = parameters[name]?.string, !text.isEmpty else { return nil }
    return text
  }
}
