package import B2CCore
package import B2CTestKit
internal import Foundation

extension LocalTenant.Behavior {
  /// A wrong way to sign id_tokens.
  package enum Signing: Sendable, Hashable {
    /// A key that is published nowhere, under the published key's id.
    case foreignKey
    /// The published key, under an id that is not published.
    case unknownKeyID
    /// No key: `alg` is `none`.
    case unsigned
    /// The published key, but one bit of the signature is changed.
    case damaged
  }

  /// Signs id_tokens wrongly.
  package mutating func signIDTokens(_ signing: Signing) {
    signIDToken = { claims, key in
      switch signing {
      case .foreignKey: return try TestSigningKey(id: key.id).token(claims: claims)
      case .unknownKeyID: return try key.token(claims: claims, header: ["kid": .string("unknown-" + key.id)])
      case .unsigned: return try TestSigningKey.unsignedToken(claims: claims)
      case .damaged:
        var parts = try key.token(claims: claims).split(separator: ".").map(String.init)
        guard var signature = Base64URL.decode(parts[2]) else { return "" }
        signature[signature.startIndex] ^= 1
        parts[2] = Base64URL.encode(signature)
        return parts.joined(separator: ".")
      }
    }
  }

  /// Changes the header of id_tokens before they are signed.
  package mutating func changeIDTokenHeader(_ change: @escaping @Sendable (inout [String: JSONValue]) -> Void) {
    signIDToken = { claims, key in
      var header: [String: JSONValue] = [:]
      change(&header)
      return try key.token(claims: claims, header: header)
    }
  }
}

extension TestSigningKey {
  /// Makes an unsigned token: `alg` is `none` and the third part is empty.
  package static func unsignedToken(claims: [String: JSONValue]) throws -> String {
    let header = try JSONEncoder().encode(["alg": "none", "typ": "JWT"])
    return Base64URL.encode(header) + "." + Base64URL.encode(try JSONEncoder().encode(JSONValue.object(claims))) + "."
  }
}

extension LocalFault {
  /// Puts another value for a parameter into the tenant's callbacks, or leaves it out.
  package static func callback(_ name: String, _ value: String?) -> LocalFault {
    LocalFault(
      on: .authorize,
      .change { response in
        guard var callback = response.headers["Location"].flatMap({ URLComponents(string: $0) }) else { return }
        callback.queryItems?.removeAll { $0.name == name }
        if let value { callback.queryItems?.append(URLQueryItem(name: name, value: value)) }
        response.headers["Location"] = callback.string
      })
  }
}
