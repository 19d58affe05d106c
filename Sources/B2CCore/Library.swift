/// The library's name and version on the wire.
package enum Library {
  package static let name = "B2CConnector"
  package static let version = "0.3.0-dev"

  /// The `User-Agent` of requests that have none of their own (RFC 9110 section 10.1.5).
  package static let userAgent = "\(name)/\(version)"
}
