/// What a set of scopes asks for.
struct LocalScopes: Sendable {
  var wantsIDToken = false
  var wantsRefreshToken = false
  /// The scopes of the one API, as they were written.
  var resourceScopes: [String] = []
  /// The client id of the API they belong to: the audience of the access token.
  var audience: String?
  /// All that count, as they were written.
  var all: [String] = []
}

extension LocalTenant {
  /// The audience of Microsoft Graph.
  static let graphClientID = "00000003-0000-0000-c000-000000000000"

  /// Sorts scopes by what they ask for; more than one API in one request is refused.
  func classify(_ scopes: [String]) throws -> LocalScopes {
    var result = LocalScopes()
    for scope in scopes {
      switch scope.lowercased() {
      case "openid": result.wantsIDToken = true
      case "offline_access" where !behavior.offersOfflineAccess: throw LocalRefusal.unsupportedScope(scope)
      case "offline_access": result.wantsRefreshToken = true
      case "profile", "email": break
      default:
        guard let audience = audience(of: scope) else {
          // OpenID Connect Core section 3.1.2.1: scopes that are not understood should be ignored.
          if shape == .openIDConnect { continue }
          throw LocalRefusal.unsupportedScope(scope)
        }
        if let other = result.audience, other != audience {
          throw LocalRefusal.severalResources(scopes.joined(separator: " "))
        }
        result.audience = audience
        result.resourceScopes.append(scope)
      }
      result.all.append(scope)
    }
    if result.audience == nil {
      switch shape {
      case .b2c: break
      case .entra, .ciam: result.audience = Self.graphClientID
      case .openIDConnect: result.audience = apiClientID
      }
    }
    return result
  }

  private func audience(of scope: String) -> String? {
    let scope = scope.lowercased()
    let known = apiScopes.map { $0.lowercased() }
    if known.contains(scope) { return apiClientID }
    if scope == clientID.lowercased() { return clientID }
    guard shape == .entra || shape == .ciam else { return nil }
    if scope.hasPrefix("https://graph.microsoft.com/") || !scope.contains("/") { return Self.graphClientID }
    let isDefault = scope.hasSuffix("/.default")
    let resource = scope.dropLast("/.default".count)
    return isDefault && known.contains { $0.hasPrefix(resource + "/") } ? apiClientID : nil
  }
}
