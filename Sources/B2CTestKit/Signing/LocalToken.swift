internal import B2CCore
internal import Foundation

/// A compact JWS taken apart, nothing checked.
struct LocalToken {
  let header: [String: JSONValue]
  let claims: [String: JSONValue]
  let signedPart: Data
  let signature: Data

  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = LocalJSON.object(Base64URL.decode(parts[0])),
      let claims = LocalJSON.object(Base64URL.decode(parts[1])), let signature = Base64URL.decode(parts[2])
    else { return nil }
    self.header = header
    self.claims = claims
    self.signature = signature
    signedPart = Data((parts[0] + "." + parts[1]).utf8)
  }
}

extension LocalToken {
  /// The same token with one bit of its signature changed.
  static func damagingSignature(of token: String) -> String {
    var parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, var signature = Base64URL.decode(parts[2]), let first = signature.first else {
      return token
    }
    signature[signature.startIndex] = first ^ 1
    parts[2] = Base64URL.encode(signature)
    return parts.joined(separator: ".")
  }
}
