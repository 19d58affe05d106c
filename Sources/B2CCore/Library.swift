/// The library's name and version, as servers see them.
package enum Library {
  package static let name = "B2CConnector"
  package static let version = "0.3.0-dev"

  /// The `User-Agent` of requests that do not set their own (RFC 9110 section 10.1.5).
  package static let userAgent = "\(name)/\(version)"
}
