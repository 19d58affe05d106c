import B2CHTTP

/// The transport under proof.
///
/// `.ci/example-proofs` puts another one in this file's place.
enum ProofTransport {
  static let name = "URLSessionTransport"

  /// Whether a connection that is closed inside an answer's head may end the process.
  ///
  /// FoundationNetworking of Swift 6.3 does so (swift-corelibs-foundation issue 5285; corrected for 6.4).
  static let mayEndTheProcess = true

  static func make() -> any HTTPTransport { URLSessionTransport() }
}
