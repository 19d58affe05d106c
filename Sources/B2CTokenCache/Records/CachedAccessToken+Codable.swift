internal import Foundation

extension CachedAccessToken: Codable {
  private enum Member {
    static let token: MemberName = "token"
    static let scopes: MemberName = "scopes"
    static let requestedScopes: MemberName = "asked"
    static let receivedAt: MemberName = "received"
    static let expiresAt: MemberName = "ends"
    static let refreshAt: MemberName = "renew"

    static let all: Set<MemberName> = [token, scopes, requestedScopes, receivedAt, expiresAt, refreshAt]
  }

  /// Reads an access token in its stored form.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` when a member has another type than expected or a required one is missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: MemberName.self)
    self.init(
      token: try container.decode(Secret.self, forKey: Member.token),
      scopes: Set(try container.decodeIfPresent([String].self, forKey: Member.scopes) ?? []),
      receivedAt: Date(timeIntervalSince1970: try container.decode(Double.self, forKey: Member.receivedAt)),
      expiresAt: Date(timeIntervalSince1970: try container.decode(Double.self, forKey: Member.expiresAt)),
      refreshAt: try container.decodeIfPresent(Double.self, forKey: Member.refreshAt)
        .map(Date.init(timeIntervalSince1970:)))
    if let asked = try container.decodeIfPresent([String].self, forKey: Member.requestedScopes) {
      requestedScopes = Set(asked)
    }
    unknownMembers = try container.decodeUnknown(besides: Member.all)
  }

  /// Writes the access token in its stored form.
  ///
  /// - Parameter encoder: The encoder to write to; its output is as secret as the token.
  /// - Throws: `EncodingError` when a value cannot be written, such as a number that is not finite.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: MemberName.self)
    try container.encodeUnknown(unknownMembers, besides: Member.all)
    try container.encode(token, forKey: Member.token)
    // Sorted, so that the same record is the same bytes.
    try container.encode(scopes.sorted(), forKey: Member.scopes)
    // Without them a token that was granted for less than was asked would be renewed at each launch.
    if requestedScopes != scopes { try container.encode(requestedScopes.sorted(), forKey: Member.requestedScopes) }
    try container.encode(receivedAt.timeIntervalSince1970, forKey: Member.receivedAt)
    try container.encode(expiresAt.timeIntervalSince1970, forKey: Member.expiresAt)
    try container.encodeIfPresent(refreshAt?.timeIntervalSince1970, forKey: Member.refreshAt)
  }
}
