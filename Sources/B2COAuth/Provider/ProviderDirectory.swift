internal import B2CCore
internal import B2CIDToken
internal import Foundation

/// The providers of an authority and their keys, which are kept for a day.
///
/// The metadata is fetched for each policy. The keys are fetched again earlier if a token's key is not among them.
struct ProviderDirectory: Sendable {
  /// How long metadata and keys are kept, in seconds.
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

  /// Returns the provider of a policy, with one request for its metadata that simultaneous callers share.
  ///
  /// Without `retries`, a failed request is not sent again. The events of retries have the correlation id of the caller
  /// who started the request.
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

  /// Returns the route of token requests.
  ///
  /// At Microsoft's authorities this needs no request, unless the route must name the provider's issuer.
  func tokenRoute(for policy: Policy?, namesIssuer: Bool, correlationID: UUID) async throws -> TokenRoute {
    guard !namesIssuer, let url = try Endpoints(authority: authority, policy: policy).token else {
      return try await provider(for: policy, correlationID: correlationID).tokenRoute
    }
    return TokenRoute(url: url, policy: policy, service: authority.kind(for: policy))
  }

  /// Returns the keys of a provider, with one request that simultaneous callers share.
  func keys(of provider: Provider, correlationID: UUID?) async throws -> JWKSet {
    let key = provider.policy?.key ?? ""
    let known = keySets.withLock { $0[key] }
    // While a fetch is under way, wait for it. Otherwise a caller that misses a key in its set would join it again.
    if let known, isFresh(known.fetchedAt), !keyFlights.isUnderWay(key) { return known.set }
    return try await freshKeys(of: provider, correlationID: correlationID)
  }

  /// Fetches the keys of a provider again, for a token whose key is not among the known ones.
  ///
  /// This happens once for each sign-in, because a provider may publish a new key late.
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

  /// Fetches the metadata of a policy, checks it against the authority and keeps the resulting provider.
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
          "Without the key `authorityKind`, the authority counts as `\(kind.rawValue)`. If that is wrong, set the key to \(others)."
        error.recoverySuggestion = [error.recoverySuggestion, advice].compactMap(\.self).joined(separator: " ")
      }
      throw error.about(endpoints.metadata)
    }
  }

  private func check(_ metadata: ProviderMetadata, _ policy: Policy?) throws(ConnectorError) {
    guard authority.accepts(issuer: metadata.issuer, policy: policy) else {
      // Text that looks like a token is hidden elsewhere. This issuer is shown even then, because the request for the
      // metadata contained no secret that the response could repeat.
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
        own: .invalidResponse, "The metadata's authorization_endpoint contains \(name), a parameter of the protocol.",
        recoverySuggestion: "Check the authority in the settings, or have the issuer publish the endpoint without it.")
    }
  }

  // MARK: Documents

  /// Fetches a JSON document that a provider publishes, with a size limit and without following redirects.
  ///
  /// - Throws: ``ConnectorError`` with code `network`, `timedOut`, `serviceUnavailable` or `throttled`; `configuration`
  ///   for any other status of 400 to 499; `invalidResponse` for any other failure.
  private func json(
    at url: URL, what: String, policy: Policy?, retries: Bool = true, correlationID: UUID?
  ) async throws -> Data {
    let request = URLRequest(method: "GET", url: url, headers: ["Accept": "application/json"])
    let transport = RetryingTransport(transport: transport, policy: retries ? retry : .none, clock: clock) {
      events.emit(.retry, policy?.id, correlationID, error: $0)
    }
    // All callers share this request, so it must end even if the app's transport never returns. It gets half a second
    // more than the transport's deadline, so that callers see the transport's own error if there is one. A call for a
    // token waits a full second more, so that this request has ended when the call is repeated.
    let (body, response) = try await abandoning(
      after: limits.deadline + .milliseconds(500), on: clock,
      throwing: ConnectorError(
        own: .timedOut, "No response to \(request.summary): the transport did not return within \(limits.deadline).",
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
    let redirect = (300..<400).contains(status) ? ", a redirect, which is not followed" : ""
    var error = ConnectorError(
      own: temporary ?? ((400..<500).contains(status) ? .configuration : .invalidResponse),
      "The request for the \(what)\(place) failed with status \(status)\(redirect): GET \(url.redacted).",
      recoverySuggestion: temporary == nil ? "Check the authority\(policyAdvice) in the settings." : "Try again later.",
      status: status)
    error.retryAfter = RetryAfter.seconds(in: response)
    // Microsoft's services say here that the tenant or the policy does not exist, so show their words.
    let said = ErrorResponse(page: body, response, at: authority.kind(for: policy), hiding: [])
    (error.oauthError, error.serverCode, error.serverDescription) = (said?.error, said?.code, said?.description)
    throw error.about(url)
  }
}
