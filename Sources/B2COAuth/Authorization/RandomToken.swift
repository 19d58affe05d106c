internal import B2CCore
internal import B2CIDToken
internal import Foundation

/// Values no one can guess, from the system's cryptographic random source.
package enum RandomToken {
  /// Makes a base64url text of so many random bytes.
  package static func make(bytes count: Int) -> Secret {
    var generator = SystemRandomNumberGenerator()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    // Each word is one call of the system; each byte would be one as well (benchmark row 10).
    while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) } }
    bytes.removeLast(bytes.count - count)
    return Secret(Base64URL.encode(bytes))
  }
}
