package import B2CCore

/// An id_token as it came, taken apart but not yet believed: its claims come out through ``IDTokenVerifier`` alone.
package struct IDToken: Sendable {
  /// The most bytes an id_token may have.
  package static let maximumLength = 64 * 1024

  /// The token as it came.
  package let compact: Secret
  let header: JWSHeader
  let signature: [UInt8]
  private let bytes: [UInt8]
  private let signingInputEnd: Int
  private let payload: [UInt8]

  /// The algorithm that the header claims.
  package var algorithm: JWSAlgorithm { header.algorithm }
  /// The id of the key that the header claims.
  package var keyID: String? { header.keyID }

  /// Takes a token in compact form (RFC 7515 section 7.1) apart.
  package init(compact: Secret) throws(IDTokenRejection) {
    guard compact.value.utf8.count <= Self.maximumLength else {
      throw IDTokenRejection(.tooLarge, "it has more than \(Self.maximumLength) bytes")
    }
    let bytes = Array(compact.value.utf8)
    let dots = bytes.indices.filter { bytes[$0] == UInt8(ascii: ".") }
    guard dots.count != 4 else { throw IDTokenRejection(.encrypted, "it has the five parts of an encrypted token") }
    guard dots.count == 2 else {
      throw IDTokenRejection(.malformed, "it has \(dots.count + 1) parts, not three")
    }
    self.compact = compact
    self.bytes = bytes
    signingInputEnd = dots[1]
    let headerBytes = try Self.decode(bytes[..<dots[0]], "header")
    payload = try Self.decode(bytes[(dots[0] + 1)..<dots[1]], "payload")
    signature = try Self.decode(bytes[(dots[1] + 1)...], "signature")
    header = try JWSHeader(Self.members(of: headerBytes, "header"))
  }

  /// The bytes that are signed: header, dot and payload as they came.
  var signingInput: ArraySlice<UInt8> { bytes[..<signingInputEnd] }

  /// The payload's members, which only a checked signature makes worth anything.
  func unverifiedMembers() throws(IDTokenRejection) -> [String: JSONValue] {
    try Self.members(of: payload, "payload")
  }

  private static func decode(_ part: ArraySlice<UInt8>, _ name: String) throws(IDTokenRejection) -> [UInt8] {
    guard let bytes = Base64URL.decodeBytes(part) else {
      throw IDTokenRejection(.malformed, "its \(name) is no base64url text without padding")
    }
    return bytes
  }

  private static func members(of bytes: [UInt8], _ name: String) throws(IDTokenRejection) -> [String: JSONValue] {
    do {
      return try JSONReader.object(bytes, mayHaveByteOrderMark: false)
    } catch {
      let reason: IDTokenRejection.Reason = error.kind == .duplicateKey ? .duplicateMember : .malformed
      throw IDTokenRejection(reason, "its \(name) \(error)")
    }
  }
}

extension IDToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "IDToken([redacted])" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
