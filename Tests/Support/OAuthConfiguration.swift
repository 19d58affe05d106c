package import B2CConnector
package import Foundation

/// The settings and options of a connector as one value, with any policy as the default one.
package struct OAuthConfiguration: Sendable {
  package var authority: Authority
  package var clientID: String
  package var redirectURI: URL
  package var scopes: [String]
  package var additionalScopes: [String] = []
  package var defaultPolicy: Policy?
  package var passwordResetPolicy: Policy?
  package var requiredUser: String?
  package var correlationID: UUID?
  package var refreshesTokens = true
  package var beforeRefresh: (@Sendable (UserInfo) async throws -> Void)?
  package var expiryMargin = Duration.seconds(300)
  package var clockSkew = Duration.seconds(300)
  package var limits = TransportLimits.standard
  package var retry = RetryPolicy()

  package init(authority: Authority, clientID: String, redirectURI: URL, scopes: [String] = []) {
    self.authority = authority
    self.clientID = clientID
    self.redirectURI = redirectURI
    self.scopes = scopes
    defaultPolicy = authority.policy
  }

  func settings() throws -> ConnectorSettings {
    var policies = ConnectorSettings.Policies()
    policies.selected = defaultPolicy
    policies.others = try passwordResetPolicy.map { [try Policy(id: $0.id, kind: .passwordReset)] } ?? []
    var settings = ConnectorSettings(
      authority: authority, clientID: clientID, scopes: scopes, redirectURI: redirectURI, policies: policies)
    settings.additionalScopes = additionalScopes
    settings.userID = requiredUser
    settings.correlationID = correlationID
    return settings
  }

  var options: Connector.Options {
    var options = Connector.Options()
    options.refreshesTokens = refreshesTokens
    options.beforeRefresh = beforeRefresh
    options.expiryMargin = expiryMargin
    options.clockSkew = clockSkew
    options.limits = limits
    options.retry = retry
    return options
  }
}
