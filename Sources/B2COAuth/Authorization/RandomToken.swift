internal import B2CCore

/// Values nobody can guess, from the system's cryptographic random source.
enum RandomToken {
  /// Makes a base64url text of so many random bytes.
  static func make(bytes count: Int) -> Secret {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    return Secret(Base64URL.encode(bytes))
  }
}
