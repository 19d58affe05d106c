internal import B2CCore
internal import B2CIDToken
internal import Foundation

/// Finds providers and their keys and keeps both: metadata are fetched once in their lifetime, for each policy,
/// and keys also when a token's key is not among them.
struct ProviderDirectory: Sendable {
  /// How long metadata and keys are kept.
  private static let lifetime: TimeInterval = 86_400

  let authority: Authority
  let transport: any HTTPTransport
  let retry: RetryPolicy
  let limits: TransportLimits
  let clock: any Clock<Duration>
  let now: @Sendable () -> Date
  let serverClock: ServerClock
  let events: OAuthEvents
  private let providerFlights = SharedWork<String, Provider>()
  private let keyFlights = SharedWork<String, JWKSet>()
  private let entries = Locked<[String: (provider: Provider, fetchedAt: Date)]>([:])
  private let keySets = Locked<[String: (set: JWKSet, fetchedAt: Date)]>([:])

  /// Returns the provider of a policy; callers at the same time share one request for its metadata.
  ///
  /// Without retries a request that fails is not sent again; the events of those that are have the correlation id of the
  /// caller who began.
  func provider(for policy: Policy?, retries: Bool = true, correlationID: UUID? = nil) async throws -> Provider {
    let key = policy?.key ?? ""
    var provider =
      if let entry = entries.withLock({ $0[key] }), isFresh(entry.fetchedAt) { entry.provider } else {
        try await providerFlights.value(for: retries ? key : key + " once") {
          try await fetchProvider(policy, retries: retries, correlationID: correlationID)
        }
      }
    provider.policy = policy
    return provider
  }

  /// Returns where token requests go: without any request where the authority makes its own URLs, unless the route must also
  /// name the provider's issuer.
  func tokenRoute(for policy: Policy?, namesIssuer: Bool, correlationID: UUID) async throws -> TokenRoute {
    guard !namesIssuer, let url = try Endpoints(authority: authority, policy: policy).token else {
      return try await provider(for: policy, correlationID: correlationID).tokenRoute
    }
    return TokenRoute(url: url, policy: policy, service: authority.kind(for: policy))
  }

  /// Returns the keys of a provider; callers at the same time share one request for them.
  func keys(of provider: Provider, correlationID: UUID?) async throws -> JWKSet {
    let known = keySets.withLock { $0[provider.policy?.key ?? ""] }
    if let known, isFresh(known.fetchedAt) { return known.set }
    return try await freshKeys(of: provider, correlationID: correlationID)
  }

  /// Returns the keys of a provider for a token whose key those known lack: fetched anew, once for each sign-in, as an issuer
  /// may publish them late.
  func freshKeys(of provider: Provider, correlationID: UUID? = nil) async throws -> JWKSet {
    let (key, url) = (provider.policy?.key ?? "", provider.metadata.keysEndpoint)
    return try await keyFlights.value(for: key) {
      let document = try await json(at: url, what: "key set", policy: provider.policy, correlationID: correlationID)
      do throws(ConnectorError) {
        let set = try JWKSet(json: document)
        keySets.withLock { $0[key] = (set, now()) }
        return set
      } catch {
        throw error.about(url)
      }
    }
  }

  private func isFresh(_ date: Date) -> Bool {
    let age = now().timeIntervalSince(date)
    return age >= 0 && age < Self.lifetime
  }

  /// Fetches the metadata of a policy now, checks it against the authority, and keeps its provider.
  func fetchProvider(_ policy: Policy?, retries: Bool = true, correlationID: UUID? = nil) async throws -> Provider {
    let endpoints = try Endpoints(authority: authority, policy: policy)
    do {
      let document = try await json(
        at: endpoints.metadata, what: "metadata document", policy: policy, retries: retries,
        correlationID: correlationID)
      let metadata = try ProviderMetadata(json: document, allowsHTTP: authority.baseURL.scheme?.lowercased() == "http")
      try check(metadata, policy)
      let provider = try Provider(authority: authority, policy: policy, endpoints: endpoints, metadata: metadata)
      entries.withLock { $0[policy?.key ?? ""] = (provider, now()) }
      return provider
    } catch var error as ConnectorError {
      let kind = authority.kind(for: policy)
      if authority.isKindGuessed, kind != .b2c, [.configuration, .invalidResponse].contains(error.code) {
        let others = kind == .ciam ? "`entra` or `openIDConnect`" : "`ciam` for External ID on a custom domain"
        let advice =
          "Without the key `authorityKind` it counts as `\(kind.rawValue)`; if that is wrong, set the key to \(others)."
        error.recoverySuggestion = [error.recoverySuggestion, advice].compactMap(\.self).joined(separator: " ")
      }
      throw error.about(endpoints.metadata)
    }
  }

  private func check(_ metadata: ProviderMetadata, _ policy: Policy?) throws(ConnectorError) {
    guard authority.accepts(issuer: metadata.issuer, policy: policy) else {
      // Whole, though it looks like a token: nothing secret was sent for the metadata.
      let shown = PrintableText.plain(metadata.issuer, limit: 150)
      throw ConnectorError(
        own: .invalidResponse,
        "The metadata names the issuer \(shown), which does not belong to the authority \(authority).",
        recoverySuggestion: "Check the authority in the settings.")
    }
    if !authority.kind(for: policy).isMicrosoft,
      let name = metadata.authorizationEndpoint.flatMap({ ReservedParameters.first(in: $0) })
    {
      throw ConnectorError(
        own: .invalidResponse, "The metadata's authorization_endpoint sets \(name), a parameter of the protocol.",
        recoverySuggestion: "Check the authority in the settings, or have the issuer publish the endpoint without it.")
    }
  }

  // MARK: Documents

  /// Gets a JSON document that a provider publishes: bounded, without following redirects.
  ///
  /// - Throws: ``ConnectorError``: `network`, `timedOut`, `serviceUnavailable`, `throttled`, `configuration` for a 4xx, or
  ///   `invalidResponse`.
  private func json(
    at url: URL, what: String, policy: Policy?, retries: Bool = true, correlationID: UUID?
  ) async throws -> Data {
    let request = URLRequest(method: "GET", url: url, headers: ["Accept": "application/json"])
    let transport = RetryingTransport(transport: transport, policy: retries ? retry : .none, clock: clock) {
      events.emit(.retry, policy?.id, correlationID, error: $0)
    }
    // All callers share this request, so a transport of the app that never returns must not hold them. It gets half a
    // second more than its deadline, so that they see its own error if there is one. A call for a token waits for one
    // second more, so that the request is out of the way when the call is repeated.
    let (body, response) = try await abandoning(
      after: limits.deadline + .milliseconds(500), on: clock,
      throwing: ConnectorError(
        own: .timedOut, "No answer to \(request.summary): the transport did not return within \(limits.deadline).",
        recoverySuggestion: "Try again later."
      ).about(url)
    ) {
      var history = RequestHistory()
      return try await transport.send(request, limits: limits, noting: &history)
    }
    serverClock.update(from: response)
    let status = response.statusCode
    guard status != 200 else { return body }
    let temporary = ErrorCode(temporaryStatus: status)
    let policyAdvice = policy.map { ", the tenant and the name of the policy \($0.id)" } ?? ""
    let place = policy.map { " of the policy \($0.id)" } ?? ""
    let redirect = (300..<400).contains(status) ? ", a redirect that is not followed" : ""
    var error = ConnectorError(
      own: temporary ?? ((400..<500).contains(status) ? .configuration : .invalidResponse),
      "The request for the \(what)\(place) failed with status \(status)\(redirect): GET \(url.redacted).",
      recoverySuggestion: temporary == nil ? "Check the authority\(policyAdvice) in the settings." : "Try again later.",
      status: status)
    error.retryAfter = RetryAfter.seconds(in: response)
    // Microsoft's services say here that there is no such tenant or policy.
    let said = ErrorResponse(page: body, response, at: authority.kind(for: policy), hiding: [])
    (error.oauthError, error.serverCode, error.serverDescription) = (said?.error, said?.code, said?.description)
    throw error.about(url)
  }
}
