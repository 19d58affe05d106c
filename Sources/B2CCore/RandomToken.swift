/// Values that cannot be guessed, from the system's cryptographic random source.
package enum RandomToken {
  /// Returns a number of random bytes as base64url text.
  package static func make(bytes count: Int) -> Secret {
    Secret(Base64URL.encode((0..<count).map { _ in UInt8.random(in: 0...255) }))
  }
}
