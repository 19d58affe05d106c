internal import B2CCore
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Signs out: first here, for certain, and only then at the server, as far as it offers that.
struct SignOut: Sendable {
  let services: OAuthServices

  /// Signs one user out, or all users of this authority and client.
  func run(
    _ users: Users, endsBrowserSession: Bool, options: SignOutOptions
  ) async throws -> BrowserSignOut {
    let correlationID = services.correlationID(nil)
    // The server's part needs what is stored, so it is read before it goes.
    let records = await storedRecords(of: users)
    let failure = await removeRecords(users, latestFirst: records)
    Self.removeCookies(of: services.configuration.authority.host)
    services.environment.onEvent(
      OAuthEvent(.signedOut, policyID: records.first?.record.policyID, correlationID: correlationID))
    // A record that could not be removed needs it most.
    await revoke(records, correlationID)
    if let failure { throw failure }
    guard endsBrowserSession else { return .notAsked }
    return try await endBrowserSession(of: records.first, options)
  }

  /// Whose tokens go.
  enum Users: Sendable {
    case all
    case one(id: String)

    fileprivate var id: String? {
      if case .one(let id) = self { id } else { nil }
    }
  }

  private func storedRecords(of users: Users) async -> [StoredRecord] {
    // A damaged file is an error once, and then gone.
    for _ in 0..<2 {
      if let records = try? await services.users.records(userID: users.id) { return records }
    }
    return []
  }

  /// Removes every record that can be removed.
  ///
  /// - Returns: Why others could not be, naming them; they count as removed here, and are removed as soon as they can be.
  private func removeRecords(_ users: Users, latestFirst records: [StoredRecord]) async -> (any Error)? {
    let foldedID = users.id.map(services.users.folded)
    // Every sign-in so far ends here, also one with a date ahead of the clock, and one of which no clock can tell.
    let isMeasured = services.serverClock.measuredOffset != nil
    let dates = services.users.nextSignInDates(serverTime: isMeasured ? services.serverClock.now : .distantFuture)
    var keys = services.users.forget(foldedID: foldedID)
    if let foldedID { keys.formUnion(services.users.likelyKeys(foldedID)) }
    // What an earlier sign-out could not remove may be off the list and not off the disk.
    keys.formUnion(services.cache.state.waiting.keys)
    var failure: (any Error)?
    var left: [TokenCacheKey] = []
    do {
      keys.formUnion(try await services.cache.keys())
    } catch {
      failure = error  // What is known without a list goes all the same.
    }
    // The current user goes last, also one who came meanwhile: who looks, in any process, does not find another person.
    let order = Dictionary(records.enumerated().map { ($1.key, -$0) }) { first, _ in first }
    for key in keys.sorted(by: { order[$0, default: 1] < order[$1, default: 1] })
    where services.users.isOwn(key, foldedID: foldedID) {
      do {
        try await services.cache.remove(key, signedInUpTo: dates)
      } catch {
        failure = error.reason  // One record that cannot be removed must not keep the others.
        if error.concernsRecord { left.append(key) }
      }
    }
    if failure == nil, !keys.contains(where: { services.users.isOwn($0, foldedID: foldedID) }) {
      failure = await makeRemovalsLast()
    }
    services.users.forget(foldedID: foldedID)
    // Observers are told before the server's part, which may take a while.
    services.sessions.changed()
    guard var error = failure as? ConnectorError, !left.isEmpty else { return failure }
    let names = Set(left.map { PrintableText.plain($0.userID, limit: 100) }).sorted().joined(separator: ", ")
    error.message += " The tokens of \(names) are still in the cache; they are no longer used."
    return error
  }

  /// Removes a record that does not exist, where none is left to remove.
  ///
  /// Another process may have removed the last one on a disk that did not confirm it. Each removal flushes the directory,
  /// and so confirms the earlier ones. A file cache creates no file for it.
  ///
  /// - Returns: Why the cache refused it.
  private func makeRemovalsLast() async -> (any Error)? {
    let key = services.users.key(userID: "", policy: services.configuration.defaultPolicy)
    do {
      try await services.cache.removeNothing(at: key)
      return nil
    } catch {
      return error
    }
  }

  /// Removes the cookies that a web view of the app may have left, of this host and of no other.
  ///
  /// Cookies of a parent domain are sent to other hosts too, so they are not ours to remove.
  private static func removeCookies(of host: String) {
    let storage = HTTPCookieStorage.shared
    for cookie in storage.cookies ?? [] {
      let domain = cookie.domain.lowercased()
      if (domain.hasPrefix(".") ? String(domain.dropFirst()) : domain) == host.lowercased() {
        storage.deleteCookie(cookie)
      }
    }
  }

  /// Tells the server to forget refresh tokens: all at once, and for two seconds at most.
  private func revoke(_ records: [StoredRecord], _ correlationID: UUID) async {
    let records = records.filter { $0.record.refreshToken != nil }
    // The metadata of Microsoft's authorities names no endpoint for it.
    guard !records.isEmpty, !services.users.isMicrosoft else { return }
    // A transport of the app need not obey cancellation: it is cancelled, and not waited for any longer.
    let requests = SingleFlight<UUID, Void>()
    try? await withTimeout(.seconds(2), on: services.environment.clock, throwing: CancellationError()) {
      try await requests.value(for: correlationID) {
        await withTaskGroup(of: Void.self) { group in
          for stored in records { group.addTask { await revoke(stored, correlationID) } }
        }
      }
    }
  }

  /// Tells the server to forget a refresh token, where it can be told (RFC 7009); its answer changes nothing here.
  private func revoke(_ stored: StoredRecord, _ correlationID: UUID) async {
    guard let refreshToken = stored.record.refreshToken,
      let provider = try? await services.providers.provider(
        for: stored.record.policy(for: stored.key), retries: false),
      let endpoint = provider.metadata.revocationEndpoint
    else { return }
    _ = try? await services.endpoint.post(
      [
        ("token", refreshToken.value), ("token_type_hint", "refresh_token"),
        ("client_id", services.configuration.clientID),
      ], to: endpoint, isMicrosoft: false, correlationID: correlationID)
  }

  private func endBrowserSession(of stored: StoredRecord?, _ options: SignOutOptions) async throws -> BrowserSignOut {
    let policy = try stored.map { try $0.record.policy(for: $0.key) } ?? services.configuration.defaultPolicy
    let provider = try await services.providers.provider(for: policy)
    guard let endpoint = provider.endSessionEndpoint else {
      throw ConnectorError(
        own: .unsupported, "The authority offers no way to end its browser session.",
        recoverySuggestion: "Remove the tokens only, or sign in with a browser session that shares no cookies.")
    }
    let idToken = options.sendsIDTokenHint ? stored?.record.idToken : nil
    let presenter = services.presenter
    let request = try presentation(of: endpoint, idToken: idToken)
    // A presenter of the app need not obey cancellation: it is cancelled, and not waited for any longer.
    let page = SingleFlight<Secret, URL>()
    do {
      let callback = try await withTimeout(
        options.timeout, on: services.environment.clock,
        throwing: ConnectorError(pageUnfinishedWithin: options.timeout, .signOut)
      ) {
        try await page.value(for: request.state) { try await presenter.present(request) }
      }
      return Self.isConfirmation(callback, of: request) ? .ended : .unconfirmed
    } catch let error as ConnectorError where [.userClosedBrowser, .timedOut].contains(error.code) {
      // The page was shown, which may have ended the session; the tokens are gone already.
      return .unconfirmed
    }
  }

  /// Whether the browser came back from the sign-out page: any program can open the redirect URI, only the server knows the
  /// state, which it has to send back (OpenID Connect RP-Initiated Logout 1.0 section 3).
  private static func isConfirmation(_ callback: URL, of request: PresentationRequest) -> Bool {
    let pairs = CallbackParameters.pairs(of: callback)
    return CallbackState.isRight(pairs, for: request.state)
      && !pairs.contains { ASCIIText.isSame($0.name, "error") }
  }

  private func presentation(of endpoint: URL, idToken: Secret?) throws -> PresentationRequest {
    let state = RandomToken.make(bytes: 16)
    let configuration = services.configuration
    let makeURL: @Sendable (URL) throws -> URL = { redirectURI in
      var parameters = [
        ("client_id", configuration.clientID), ("post_logout_redirect_uri", redirectURI.absoluteString),
        ("state", state.value),
      ]
      if let idToken { parameters.append(("id_token_hint", idToken.value)) }
      do throws(AuthorityError) {
        return try Endpoints.appending(parameters, to: endpoint)
      } catch {
        throw ConnectorError(error)
      }
    }
    // Built here once so that a failure is thrown; another port of this machine changes nothing that could fail.
    let page = try makeURL(configuration.redirectURI)
    return PresentationRequest(
      purpose: .signOut, redirectURI: configuration.redirectURI, state: state,
      makeURL: { (try? makeURL($0)) ?? page })
  }
}
