package import Foundation

/// A URL as it may be shown: without user-info, query and fragment.
package struct RedactedURL: CustomStringConvertible, Sendable {
  package let description: String

  package init(_ url: URL) {
    guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
      description = "[url]"
      return
    }
    let scheme = components.scheme.map { $0 + ":" } ?? ""
    let host = components.encodedHost.map { "//" + $0 + (components.port.map { ":\($0)" } ?? "") } ?? ""
    description = scheme + host + components.percentEncodedPath
  }
}
