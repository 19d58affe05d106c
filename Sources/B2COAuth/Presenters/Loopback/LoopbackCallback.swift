internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// Recognises the one request that a loopback listener waits for.
struct LoopbackCallback: Sendable {
  /// The callback as a URL of the redirect URI, with the answer in its query.
  let url: URL
  /// Whether the server gave what was asked, and not an error.
  let isSuccess: Bool

  /// Reads a request; `nil` unless it is a GET or a form POST to exactly the path, by a name of this machine, with the
  /// right state.
  init?(_ request: LoopbackRequest, path: String, redirectURI: URL, state: Secret) {
    guard request.path == path, Self.isThisMachine(request.headers["Host"]),
      let query = Self.answer(of: request)
    else { return nil }
    let pairs = FormEncoding.decode(query)
    guard CallbackState.isRight(pairs, for: state) else { return nil }
    let place = redirectURI.absoluteString.prefix { $0 != "?" && $0 != "#" }
    guard let url = URL(string: place + "?" + query) else { return nil }
    self.url = url
    isSuccess = !pairs.contains { $0.name == "error" }
  }

  private static func answer(of request: LoopbackRequest) -> String? {
    switch request.method {
    case "GET":
      // A browser never sends a fragment; one that came would hide what follows it.
      return request.query.flatMap { $0.contains("#") ? nil : $0 }
    case "POST":
      // OAuth 2.0 Form Post Response Mode section 2.
      let type = (request.headers["Content-Type"] ?? "").prefix { $0 != ";" }
      guard type.trimmingCharacters(in: .whitespaces).lowercased() == "application/x-www-form-urlencoded" else {
        return nil
      }
      return FormEncoding.encode(FormEncoding.decode(String(decoding: request.body, as: UTF8.self)))
    default:
      return nil
    }
  }

  /// A foreign name that resolves to this machine is a page elsewhere that tries its luck (DNS rebinding).
  private static func isThisMachine(_ host: String?) -> Bool {
    guard let host else { return false }
    let name = host.hasPrefix("[") ? host.prefix { $0 != "]" }.dropFirst() : host.prefix { $0 != ":" }
    return Loopback.isLoopback(host: String(name))
  }
}
