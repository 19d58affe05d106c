/// Values no one can guess, from the system's cryptographic random source.
package enum RandomToken {
  /// Makes a base64url text of so many random bytes.
  package static func make(bytes count: Int) -> Secret {
    Secret(Base64URL.encode((0..<count).map { _ in UInt8.random(in: 0...255) }))
  }
}
