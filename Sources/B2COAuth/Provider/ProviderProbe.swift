internal import B2CCore
internal import B2CIDToken
package import Foundation

/// The answers of a provider to requests for its documents, for a diagnosis.
package struct ProviderProbe: Sendable {
  /// How far this device's clock may be ahead of the server's, in seconds, before every new token seems to have expired.
  package static let furthestAhead = ServerClock.furthestBehind

  /// The issuer that the metadata names, or why there is no usable metadata.
  package let issuer: Result<String, OAuthError>
  /// How many keys can verify a signature, or why the keys cannot be fetched; `nil` without metadata.
  package let usableKeys: Result<Int, OAuthError>?
  /// How far this device's clock is behind the server's, in seconds; `nil` without an answer.
  package let clockOffset: TimeInterval?
  /// Why no sign-in can work although the documents are right; `nil` when nothing is known against it.
  package let obstacle: OAuthError?
  /// What the metadata offers and this package does not use, by name.
  package let unusedOffers: [String]
  /// The requests of a sign-in; `nil` without usable metadata.
  package let signIn: SignInProbe?
}

/// The requests that a sign-in would send, for a diagnosis that sends them without a user.
package struct SignInProbe: Sendable {
  /// The page that a sign-in opens.
  package let page: SignInPage
  /// The same with `prompt=none` and without `offline_access`: an error comes back to a registered redirect URI.
  package let silentPage: SignInPage
  /// The request whose code is redeemed: another one than the pages', so that no URL carries its challenge.
  private let redeemed: AuthorizationRequest
  private let endpoint: TokenEndpoint

  fileprivate init(
    _ services: OAuthServices, policy: Policy?, endpoints: Endpoints, metadata: ProviderMetadata
  ) throws(OAuthError) {
    let builtAt = services.serverClock.mark()
    func make(
      _ configuration: OAuthConfiguration, _ options: SignInOptions
    ) throws(OAuthError) -> AuthorizationRequest {
      let provider = try Provider(
        configuration: configuration, policy: policy, endpoints: endpoints, metadata: metadata)
      return try AuthorizationRequest(
        provider: provider, configuration: configuration, policy: policy, options: options,
        correlationID: services.correlationID(nil), builtAt: builtAt)
    }
    page = try SignInPage(make(services.configuration, SignInOptions()))
    var silent = services.configuration
    silent.offlineAccess = .never
    silentPage = try SignInPage(make(silent, SignInOptions(prompt: .none)))
    redeemed = try make(services.configuration, SignInOptions())
    endpoint = services.endpoint
  }

  /// Redeems a made-up code.
  ///
  /// - Returns: The server's refusal; `nil` when there is no answer, or one without an OAuth error.
  /// - Throws: `CancellationError` when the calling task was cancelled.
  package func refusalOfCode() async throws -> ServerAnswer? {
    try await refusal { try await endpoint.redeemMadeUpCode(of: redeemed) }
  }

  /// Sends a made-up refresh token.
  ///
  /// - Parameter clientID: The client to send it as; the app's own for `nil`.
  /// - Returns: The server's refusal; `nil` when there is no answer, or one without an OAuth error.
  /// - Throws: `CancellationError` when the calling task was cancelled.
  package func refusalOfRefreshToken(clientID: String? = nil) async throws -> ServerAnswer? {
    var configuration = endpoint.configuration
    configuration.clientID = clientID ?? configuration.clientID
    let endpoint = TokenEndpoint(
      configuration: configuration, transport: endpoint.transport, serverClock: endpoint.serverClock)
    return try await refusal {
      try await endpoint.refresh(
        RandomToken.make(bytes: 32), scopes: nil, extra: [], to: redeemed.provider.tokenRoute,
        correlationID: redeemed.correlationID)
    }
  }

  /// A failed request says nothing about the registration; metadata's finding names a network that is down.
  private func refusal(_ request: () async throws -> TokenResponse) async throws -> ServerAnswer? {
    let answer: ServerAnswer?
    do {
      _ = try await request()
      answer = nil
    } catch let refusal as RefreshRefusal {
      answer = refusal.error.server
    } catch let error as OAuthError {
      answer = error.server
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      answer = nil
    }
    return answer?.error == nil ? nil : answer
  }
}

/// A sign-in page that is asked for without a user.
package struct SignInPage: Sendable {
  private let request: AuthorizationRequest
  /// The page's URL.
  package let url: URL
  /// The value that the answer has to repeat.
  package var state: String { request.state.value }

  fileprivate init(_ request: AuthorizationRequest) throws(OAuthError) {
    self.request = request
    url = try request.url(redirectURI: request.configuration.redirectURI)
  }

  /// Returns a refusal in OAuth's words (RFC 6749 section 4.1.2.1) as a sign-in would throw it, with the server's own.
  package func refusal(error: String, description: String?) -> OAuthError {
    let answer = ServerAnswer(callbackError: error, description: description, hiding: oneTimeValues)
    var refusal = answer.asError(
      ServerAnswer.Refused(isCallback: true, scopes: request.tokenScopes, policy: request.policy))
    if answer.code.flatMap(ServiceCode.named) == nil, let said = answer.description {
      refusal.message += ErrorText.said(said)
    }
    refusal.advise(request.offlineAccessAdvice)
    return refusal
  }

  /// Returns an error page as the refusal that a user would read on it.
  package func refusal(status: Int, body: Data) -> OAuthError {
    if let fields = try? JSONReader.object(body), let error = fields["error"]?.string {
      return refusal(error: error, description: fields["error_description"]?.string)
    }
    let text = PrintableText(hiding: oneTimeValues).show(PageText.words(of: body))
    var refusal = OAuthError(
      .configuration,
      "The sign-in page is an error with status \(status)" + (text.map { ": " + ErrorText.sentence($0) } ?? "."))
    refusal.advise(request.offlineAccessAdvice)
    return refusal
  }

  private var oneTimeValues: [Secret] { [request.state, request.nonce, Secret(request.pkce.challenge)] }
}

extension OAuthClient {
  /// Fetches metadata and keys of a policy anew.
  package func probe(_ policy: Policy?) async throws -> ProviderProbe {
    do {
      let metadata = try await services.providers.metadata(for: policy)
      let keys: Result<Int, OAuthError>
      do {
        keys = .success(try await services.providers.keys(of: metadata, policy: policy).usableCount)
      } catch let error as OAuthError {
        keys = .failure(error)
      }
      let endpoints = try await services.providers.endpoints(of: policy)
      let signIn = Result { () throws(OAuthError) -> SignInProbe in
        try SignInProbe(services, policy: policy, endpoints: endpoints, metadata: metadata)
      }
      return ProviderProbe(
        issuer: metadata.requiresPushedRequests ? .success(metadata.issuer) : signIn.map { _ in metadata.issuer },
        usableKeys: keys,
        clockOffset: services.serverClock.measuredOffset,
        obstacle: metadata.requiresPushedRequests ? ProviderMetadata.pushedRequestsRequired : nil,
        unusedOffers: metadata.unusedOffers,
        signIn: try? signIn.get())
    } catch let error as OAuthError {
      let isAnswered = error.server?.status != nil || error.code != .network
      return ProviderProbe(
        issuer: .failure(error), usableKeys: nil, clockOffset: isAnswered ? services.serverClock.measuredOffset : nil,
        obstacle: nil, unusedOffers: [], signIn: nil)
    }
  }
}

extension JWKSet {
  /// How many keys can verify a signature.
  fileprivate var usableCount: Int {
    keys.count { $0.unsuitability == nil }
  }
}
