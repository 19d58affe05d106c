package import Foundation

extension URL {
  /// The URL in a form that may be shown, without user name, password, query and fragment.
  package var redacted: String {
    guard let components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "[url]" }
    let scheme = components.scheme.map { $0 + ":" } ?? ""
    let host = components.encodedHost.map { "//" + $0 + (components.port.map { ":\($0)" } ?? "") } ?? ""
    return scheme + host + components.percentEncodedPath
  }
}
