internal import B2CCore
internal import B2CIDToken
internal import Foundation

/// Finds providers and their keys and keeps both: each is fetched once in its lifetime, for each policy.
actor ProviderDirectory {
  private struct Keys {
    let set: JWKSet
    let fetchedAt: Date
    /// Whether a token's key is not among them.
    var lacksKey = false
  }

  /// How long metadata and keys are kept.
  private static let lifetime: TimeInterval = 86_400
  /// How long keys that lack a token's key are kept before they are fetched for one again.
  private static let refetchInterval: TimeInterval = 60

  private let configuration: OAuthConfiguration
  private let documents: DocumentFetcher
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> Date
  private let providerFlights = SharedWork<String, Provider>()
  private let keyFlights = SharedWork<String, JWKSet>()
  private var entries: [String: (provider: Provider, fetchedAt: Date)] = [:]
  private var keySets: [String: Keys] = [:]

  init(
    configuration: OAuthConfiguration, documents: DocumentFetcher, clock: any Clock<Duration>,
    now: @escaping @Sendable () -> Date
  ) {
    self.configuration = configuration
    self.documents = documents
    self.clock = clock
    self.now = now
  }

  /// Returns the provider of a policy; callers at the same time share one request for its metadata.
  ///
  /// Without retries a request that fails is not sent again.
  func provider(for policy: Policy?, retries: Bool = true, atMost limit: Duration? = nil) async throws -> Provider {
    let key = policy?.key ?? ""
    if let entry = entries[key], isFresh(entry.fetchedAt) { return entry.provider }
    return try await providerFlights.value(for: retries ? key : key + " once", atMost: limit, on: clock) {
      try await self.fetchProvider(policy, retries: retries)
    }
  }

  /// Returns where token requests go: without any request where the authority makes its own URLs.
  ///
  /// A transport of the app may never return: after twice the limit of a request it is not waited for any longer.
  func tokenRoute(for policy: Policy?) async throws -> TokenRoute {
    guard let url = try Endpoints(authority: configuration.authority, policy: policy).token else {
      return try await provider(for: policy, atMost: configuration.limits.deadline * 2).tokenRoute
    }
    return TokenRoute(url: url, policy: policy, service: configuration.authority.kind(for: policy))
  }

  /// Returns the keys of a provider; callers at the same time share one request for them.
  func keys(of provider: Provider) async throws -> JWKSet {
    if let keys = keySets[provider.policy?.key ?? ""], isFresh(keys.fetchedAt) { return keys.set }
    return try await freshKeys(of: provider)
  }

  /// Fetches the keys of a provider now, so that they are there when they are needed.
  ///
  /// A failure is ignored here: the check that needs the keys asks again.
  func prefetch(_ policy: Policy?) async {
    guard let provider = try? await provider(for: policy) else { return }
    _ = try? await keys(of: provider)
  }

  /// Returns the keys of a provider for a token whose key those known lack: fetched anew, at most once a minute in vain.
  func refetchedKeys(of provider: Provider) async throws -> JWKSet {
    if let keys = keySets[provider.policy?.key ?? ""], keys.lacksKey {
      let age = now().timeIntervalSince(keys.fetchedAt)
      // The age is negative when the clock was set back.
      if age >= 0, age < Self.refetchInterval { return keys.set }
    }
    return try await freshKeys(of: provider)
  }

  /// Takes note that the keys of a provider lack a token's key.
  func recordUnknownKey(of provider: Provider) {
    keySets[provider.policy?.key ?? ""]?.lacksKey = true
  }

  private func freshKeys(of provider: Provider) async throws -> JWKSet {
    try await keyFlights.value(for: provider.policy?.key ?? "") { try await self.fetchKeys(of: provider) }
  }

  /// Fetches the keys of a provider now and keeps them.
  func fetchKeys(of provider: Provider) async throws -> JWKSet {
    let url = provider.metadata.keysEndpoint
    let document = try await documents.json(at: url, what: "key set", policy: provider.policy)
    do {
      let set = try JWKSet(json: document)
      keySets[provider.policy?.key ?? ""] = Keys(set: set, fetchedAt: now())
      return set
    } catch {
      throw error.about(url)
    }
  }

  private func isFresh(_ date: Date) -> Bool {
    let age = now().timeIntervalSince(date)
    return age >= 0 && age < Self.lifetime
  }

  /// Fetches the metadata of a policy now, checks it against the authority, and keeps its provider.
  func fetchProvider(_ policy: Policy?, retries: Bool = true) async throws -> Provider {
    let endpoints = try Endpoints(authority: configuration.authority, policy: policy)
    let document = try await documents.json(
      at: endpoints.metadata, what: "metadata document", policy: policy, retries: retries)
    do {
      let metadata = try ProviderMetadata(
        json: document, allowsHTTP: configuration.authority.baseURL.scheme?.lowercased() == "http")
      try check(metadata, policy)
      let provider = try Provider(
        configuration: configuration, policy: policy, endpoints: endpoints, metadata: metadata)
      entries[policy?.key ?? ""] = (provider, now())
      return provider
    } catch {
      throw error.about(endpoints.metadata)
    }
  }

  private func check(_ metadata: ProviderMetadata, _ policy: Policy?) throws(ConnectorError) {
    let authority = configuration.authority
    guard authority.accepts(issuer: metadata.issuer, policy: policy) else {
      // Whole, though it looks like a token: nothing secret was sent for the metadata.
      let shown = PrintableText.plain(metadata.issuer, limit: 150)
      throw ConnectorError(
        own: .invalidResponse,
        "The metadata names the issuer \(shown), which does not belong to the authority \(authority).",
        recoverySuggestion: "Check the authority in the settings.")
    }
    if authority.kind(for: policy) == .openIDConnect,
      let query = metadata.authorizationEndpoint?.absoluteString.split(separator: "?", maxSplits: 1).dropFirst().first,
      let name = ReservedParameters.first(inQuery: String(query))
    {
      // RFC 6749 section 3.1: no parameter is sent twice.
      throw ConnectorError(
        own: .invalidResponse, "The metadata's authorization_endpoint sets \(name), a parameter of the protocol.",
        recoverySuggestion: "Check the authority in the settings, or have the issuer publish the endpoint without it.")
    }
  }
}
