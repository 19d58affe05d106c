internal import B2CCore
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Makes the session's requests, and keeps those parts of the last few that are dear to make.
///
/// Setting a header field checks its value byte by byte, which for a long bearer token takes longer than all the rest; a
/// copy of a request that has it already costs next to nothing.
final class RequestTemplates: Sendable {
  private struct Template {
    let authorization: String
    let request: URLRequest
  }

  private static let capacity = 4

  private let templates = Locked<[Template]>([])

  /// Makes a request for the session.
  ///
  /// - Throws: ``TransportError`` with `invalidRequest` when a header field or the method cannot be sent.
  func request(for request: TransportRequest) throws -> URLRequest {
    var result = try base(authorization: request.headers["Authorization"], url: request.url)
    result.url = request.url
    guard !request.method.rawValue.isEmpty, request.method.rawValue.utf8.allSatisfy(Self.isTokenCharacter) else {
      throw TransportError(.invalidRequest, "The request's method is not one that HTTP can carry.")
    }
    guard request.body == nil || ![.get, .head].contains(request.method) else {
      throw TransportError(.invalidRequest, "A \(request.method.rawValue) request cannot carry a body.")
    }
    result.httpMethod = request.method.rawValue
    // The timer counts whole seconds on Linux and would never run with zero.
    result.timeoutInterval = max(1, request.limits.idleTimeout.inSeconds.rounded(.up))
    for field in request.headers.fields where field.name.lowercased() != "authorization" {
      try Self.check(field)
      result.addValue(field.value, forHTTPHeaderField: field.name)
    }
    result.httpBody = request.body
    return result
  }

  func removeAll() {
    templates.withLock { $0 = [] }
  }

  private func base(authorization: String?, url: URL) throws -> URLRequest {
    guard let authorization else { return Self.plain(url) }
    let known = templates.withLock { templates -> URLRequest? in
      guard let index = templates.firstIndex(where: { $0.authorization == authorization }) else { return nil }
      if index > 0 { templates.swapAt(0, index) }
      return templates[0].request
    }
    if let known { return known }
    try Self.check(HTTPHeaders.Field(name: "Authorization", value: authorization))
    var request = Self.plain(url)
    request.setValue(authorization, forHTTPHeaderField: "Authorization")
    let template = Template(authorization: authorization, request: request)
    templates.withLock { $0 = [template] + $0.prefix(Self.capacity - 1) }
    return request
  }

  private static func plain(_ url: URL) -> URLRequest {
    var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
    request.httpShouldHandleCookies = false
    return request
  }

  /// The session drops such a field without a word; a request without its token is not what was asked for.
  private static func check(_ field: HTTPHeaders.Field) throws {
    guard !field.name.isEmpty, field.name.utf8.allSatisfy(isTokenCharacter),
      !field.value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F })
    else {
      throw TransportError(.invalidRequest, "The request has a header field with characters that HTTP forbids.")
    }
  }

  /// RFC 9110 section 5.6.2.
  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default:
      "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
