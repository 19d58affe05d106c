internal import B2CCore
internal import Foundation

/// Finds providers and keeps them: metadata and keys are asked for once in their lifetime, for each policy.
actor ProviderDirectory {
  private struct Entry {
    var provider: Provider
    var fetchedAt: Date
    var keysFetchedAt: Date
  }

  private let configuration: OAuthConfiguration
  private let documents: DocumentFetcher
  private let now: @Sendable () -> Date
  private let flights = SingleFlight<String, Provider>()
  private var entries: [String: Entry] = [:]

  init(configuration: OAuthConfiguration, documents: DocumentFetcher, now: @escaping @Sendable () -> Date) {
    self.configuration = configuration
    self.documents = documents
    self.now = now
  }

  /// The provider of a policy: a kept one, or a new one that every caller shares.
  func provider(for policy: Policy?) async throws -> Provider {
    let key = policy?.key ?? ""
    if let entry = entries[key], isFresh(entry) { return entry.provider }
    return try await flights.value(for: key) { try await self.discover(policy, key: key) }
  }

  /// The provider with keys fetched anew because of an unknown key id; the kept one when that was done lately.
  func providerWithFreshKeys(for policy: Policy?) async throws -> Provider {
    let key = policy?.key ?? ""
    guard let entry = entries[key] else { return try await provider(for: policy) }
    guard now().timeIntervalSince(entry.keysFetchedAt) >= configuration.keyRefetchInterval.seconds else {
      return entry.provider
    }
    return try await flights.value(for: key + "#keys") { try await self.refetchKeys(policy, key: key) }
  }

  private func isFresh(_ entry: Entry) -> Bool {
    let age = now().timeIntervalSince(entry.fetchedAt)
    return age >= 0 && age < configuration.metadataLifetime.seconds
  }

  /// The metadata of a policy, fetched now and checked against the authority.
  func metadata(for policy: Policy?) async throws -> ProviderMetadata {
    let document = try await documents.json(at: try endpoints(of: policy).metadata, what: "metadata document")
    let metadata = try ProviderMetadata(json: document)
    try check(metadata, policy)
    return metadata
  }

  /// The keys that metadata points to, fetched now.
  func keys(of metadata: ProviderMetadata) async throws -> JWKSet {
    try JWKSet(json: try await documents.json(at: metadata.keysEndpoint, what: "key set"))
  }

  private func discover(_ policy: Policy?, key: String) async throws -> Provider {
    let metadata = try await metadata(for: policy)
    let keys = try await keys(of: metadata)
    let provider = try Provider(
      authority: configuration.authority, policy: policy, endpoints: try endpoints(of: policy), metadata: metadata,
      keys: keys)
    let time = now()
    // The first fetch does not count for the interval: a key made right after it may be asked for at once.
    entries[key] = Entry(provider: provider, fetchedAt: time, keysFetchedAt: .distantPast)
    return provider
  }

  private func refetchKeys(_ policy: Policy?, key: String) async throws -> Provider {
    guard var entry = entries[key] else { return try await discover(policy, key: key) }
    let old = entry.provider
    let keys = try await keys(of: old.metadata)
    // What brought no keys does not count for the interval: the network may be back in a moment.
    entry.keysFetchedAt = now()
    entry.provider = try Provider(
      authority: old.authority, policy: policy, endpoints: try endpoints(of: policy), metadata: old.metadata, keys: keys
    )
    entries[key] = entry
    return entry.provider
  }

  private func endpoints(of policy: Policy?) throws(OAuthError) -> Endpoints {
    do {
      return try Endpoints(authority: configuration.authority, policy: policy)
    } catch {
      throw OAuthError(error)
    }
  }

  private func check(_ metadata: ProviderMetadata, _ policy: Policy?) throws(OAuthError) {
    let authority = configuration.authority
    guard authority.accepts(issuer: metadata.issuer, tenantID: nil, policy: policy) else {
      throw OAuthError(
        .issuerMismatch, "The metadata names an issuer that does not belong to the authority \(authority).",
        recoverySuggestion: "Check the authority's host and tenant in the settings.")
    }
    for endpoint in metadata.endpoints where !authority.accepts(endpoint: endpoint, policy: policy) {
      throw OAuthError(
        .invalidResponse,
        "The metadata names an endpoint on \(endpoint.host ?? "no host"), which is not the authority's.",
        recoverySuggestion: "Check the authority's host and tenant in the settings.")
    }
  }
}
