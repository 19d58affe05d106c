internal import B2CCore
internal import Foundation

extension AuthenticationChallenge {
  /// The claims that a new token needs, as the JSON text for the `claims` parameter of an authorization request.
  ///
  /// Microsoft's services send it in Base64, in either alphabet and with or without padding; plain JSON is taken too.
  public var claims: String? {
    guard let text = parameters["claims"], !text.isEmpty else { return nil }
    let plain = text.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    let unpadded = String(plain.prefix { $0 != "=" })
    if let bytes = Base64URL.decode(unpadded), let json = String(bytes: bytes, encoding: .utf8), json.hasPrefix("{") {
      return json
    }
    return text
  }
}
