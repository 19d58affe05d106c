internal import B2CCore
internal import B2CIDToken
internal import Foundation

/// The questions to a provider that need no user.
package struct ProviderCheck: Sendable {
  let request: AuthorizationRequest
  let policy: Policy?
  let providers: ProviderDirectory
  let transport: RetryingTransport
  let limits: TransportLimits
  let events: OAuthEvents
  let now: @Sendable () -> Date

  /// Fetches the metadata of a policy.
  ///
  /// - Returns: The issuer, and the optional endpoints that the metadata contains but that cannot be used.
  package func fetchProvider(_ policy: Policy?) async throws -> (issuer: String, unusableEndpoints: [String]) {
    let provider = try await providers.fetchProvider(policy)
    return (provider.metadata.issuer, provider.isMicrosoft ? [] : provider.metadata.unusableEndpoints)
  }

  /// Fetches the keys of a policy and counts those that can verify the signature of an id_token.
  package func usableKeyCount(_ policy: Policy?) async throws -> Int {
    let provider = try await providers.provider(for: policy)
    let keys = try await providers.freshKeys(of: provider).keys
    return keys.count { $0.canVerify(anyOf: provider.allowedAlgorithms) }
  }

  /// Requests the sign-in page of the default policy once, without a user, without `offline_access` and with
  /// `prompt=none`.
  ///
  /// - Returns: A description of anything that arrived instead of an answer, and whether a sign-in asks for
  ///   `offline_access`.
  /// - Throws: ``ConnectorError`` if the page refuses the request or cannot be reached; `CancellationError`.
  package func askSignInPage() async throws -> (instead: String?, isOfflineAccessLeftOut: Bool) {
    var request = request
    request.requiredUser = nil
    var provider = try await providers.provider(for: policy)
    let isOfflineAccess = { (scope: String) in scope.lowercased() == "offline_access" }
    let isLeftOut = provider.sent(request.scopes + request.additionalScopes).contains(where: isOfflineAccess)
    request.scopes.removeAll(where: isOfflineAccess)
    request.additionalScopes.removeAll(where: isOfflineAccess)
    provider.addsOfflineAccess = false
    let pending = try request.pending(
      provider, SignInOptions(prompt: .none), userID: nil, correlationID: events.correlationID(), at: now())
    return (try await pending.ask(provider, over: transport, limits: limits), isLeftOut)
  }
}
