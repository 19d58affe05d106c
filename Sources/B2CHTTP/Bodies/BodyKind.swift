package import Foundation

/// What a body is at first sight, for an error that says more than "not JSON".
package enum BodyKind: Sendable, Hashable {
  /// Begins like JSON.
  case json
  /// Has no bytes but white space.
  case empty
  /// Begins like a page or another XML document, as proxies and sign-in walls send.
  case markup
  /// Anything else, with its media type as the server names it.
  case other(mediaType: String?)

  /// Looks at the first byte that counts, and at the media type when that byte leaves a doubt.
  package init(_ body: Data, contentType: String?) {
    let mediaType = contentType.map { $0.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased() }
    let isCalledJSON = mediaType.map { $0 == "application/json" || $0.hasSuffix("+json") || $0 == "text/json" }
    let start = body.starts(with: [0xEF, 0xBB, 0xBF]) ? body.dropFirst(3) : body
    switch start.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
    case nil: self = .empty
    case UInt8(ascii: "{"), UInt8(ascii: "["): self = .json
    case UInt8(ascii: "<"): self = .markup
    case let byte? where isCalledJSON ?? true && "\"-0123456789tfn".utf8.contains(byte): self = .json
    default: self = .other(mediaType: mediaType)
    }
  }

  /// The kind in words, to go into a sentence such as "The server sent …".
  package var words: String {
    switch self {
    case .json: "JSON"
    case .empty: "an empty body"
    case .markup: "an HTML or XML page instead of JSON"
    case .other(let mediaType?): "\(String(mediaType.prefix(80))) instead of JSON"
    case .other(nil): "something that is not JSON"
    }
  }
}

extension TransportResponse {
  /// What the body is at first sight.
  package var bodyKind: BodyKind { BodyKind(body, contentType: headers["Content-Type"]) }
}
