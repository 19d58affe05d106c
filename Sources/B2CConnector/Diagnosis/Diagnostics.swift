internal import B2CCore
internal import Foundation

extension Connector {
  /// Checks settings, provider, registration, token cache and task API without signing in.
  ///
  /// No token is changed. A cache of this package is proved writable: a temporary file or a keychain item
  /// is written and removed at once, and an encryption key is made where there is none. A custom cache is asked for its keys
  /// only.
  ///
  /// - Returns: The findings, in the order to fix them.
  /// - Throws: `CancellationError` when the calling task was cancelled.
  public func diagnose() async throws -> Diagnosis {
    try await Diagnostics(
      settings: settings, presenter: oauth.presenter, cache: .success(oauth.tokenCache),
      transport: environment.transport, connector: .success(self)
    ).diagnosis()
  }

  /// Checks settings that may be unusable, and everything after them as far as possible.
  ///
  /// - Parameters:
  ///   - settings: The settings to check; reading them may throw.
  ///   - environment: The parts of the app: its presenter, token cache and transport.
  ///   - isolation: The caller's actor, on which `settings` is read. Leave it out.
  /// - Returns: The findings, in the order to fix them; every problem of unusable settings.
  /// - Throws: `CancellationError` when the calling task was cancelled.
  public static func diagnose(
    settings: @autoclosure () throws -> ConnectorSettings, environment: OAuthEnvironment = OAuthEnvironment(),
    // Without it, code on the main actor could not pass `settings`, which is not Sendable, in the Swift 6 mode.
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Diagnosis {
    let read: ConnectorSettings
    do {
      read = try ConnectorError.mapping { try settings() }
    } catch let error as ConnectorError {
      return Diagnosis(Diagnostics.findings(ofUnusable: error))
    }
    let cache = Result { try ConnectorError.mapping { try environment.cache ?? DefaultTokenCache.make() } }
    let connector = Result {
      // A presenter for every redirect URI and a cache that always works: the app's own are checked by themselves, and
      // must not prevent the other checks.
      var harmless = environment
      harmless.presenter = ManualPresenter()
      harmless.cache = InMemoryTokenCache()
      return try Connector(settings: read, environment: harmless)
    }
    return try await Diagnostics(
      settings: read, presenter: environment.presenter ?? DefaultPresenter.make(), cache: cache,
      transport: environment.transport, connector: connector
    ).diagnosis()
  }
}

/// The single checks of a diagnosis.
struct Diagnostics: Sendable {
  typealias Finding = Diagnosis.Finding

  let settings: ConnectorSettings
  /// The presenter of the app, whether or not it serves the redirect URI.
  let presenter: any SignInPresenter
  let cache: Result<any TokenCache, any Error>
  let transport: any HTTPTransport
  /// The connector, or why there is none.
  let connector: Result<Connector, any Error>

  /// Makes all checks, in the order in which their findings should be fixed.
  func diagnosis() async throws -> Diagnosis {
    var findings = Self.findings(of: settings) + [authority()]
    findings += try await provider()
    findings.append(await presenterFinding())
    findings.append(try await cacheFinding())
    findings.append(try await taskAPI())
    return Diagnosis(findings)
  }

  private var policies: [Policy] {
    settings.policies.all.isEmpty ? [settings.authority.policy].compactMap(\.self) : settings.policies.all
  }

  /// Whether the provider is one of Microsoft's, so that its words fit.
  private var isMicrosoft: Bool { settings.authority.kind(for: policies.first) != .openIDConnect }

  private func authority() -> Finding {
    if case .failure(let error) = connector { return Self.finding(of: error, check: "authority") }
    let kind = settings.authority.kind(for: policies.first)
    let names = policies.map(\.id).joined(separator: ", ")
    return Finding(
      "authority", .ok,
      "\(settings.authority.baseURL.absoluteString), \(kind.rawValue)" + (names.isEmpty ? "" : ", policies \(names)"))
  }
}

// MARK: - Settings

extension Diagnostics {
  /// Returns every problem of settings that cannot be read; all other checks depend on them.
  static func findings(ofUnusable error: ConnectorError) -> [Finding] {
    guard let settings = error.underlying as? SettingsError else {
      return [finding(of: error, check: "settings"), skipped]
    }
    return settings.problems.map { finding(of: $0, .failed) } + settings.warnings.map { finding(of: $0, .warning) }
      + [skipped]
  }

  private static var skipped: Finding { Finding("all other checks", .skipped, "the settings must be fixed first") }

  private static func findings(of settings: ConnectorSettings) -> [Finding] {
    let warnings = settings.warnings.map { finding(of: $0, .warning) }
    return warnings.isEmpty ? [Finding("settings", .ok, "every key is readable")] : warnings
  }

  private static func finding(of problem: SettingsProblem, _ outcome: Finding.Outcome) -> Finding {
    let name = problem.keyPath.isEmpty ? "the file" : problem.keyPath
    let place = name + (problem.line.map { " (line \($0))" } ?? "")
    let recovery = [problem.recoverySuggestion, problem.suggestion.map { "Write \($0)" }].compactMap(\.self)
    return Finding(
      "settings: " + place, outcome, problem.message,
      recovery: recovery.isEmpty ? nil : recovery.joined(separator: " "))
  }

  /// Returns an error as a finding; the text of an unknown error is not repeated, since it may contain anything.
  private static func finding(of error: any Error, check: String) -> Finding {
    switch error {
    case let error as any ExplainedError:
      Finding(check, .failed, error.message, recovery: error.recoverySuggestion)
    case let error as TokenCacheError:
      Finding(check, .failed, error.message, recovery: error.recoverySuggestion)
    default:
      Finding(check, .failed, "it failed with \(type(of: error))")
    }
  }
}

// MARK: - The provider's documents, its clock, and the registration

extension Diagnostics {
  /// Checks metadata and keys of every policy, then the clock and the registration.
  private func provider() async throws -> [Finding] {
    guard let connector = try? connector.get() else {
      return ["metadata", "keys", "clock", "client ID", "redirect URI"].map {
        Finding($0, .skipped, "the authority must be fixed first")
      }
    }
    let listed: [Policy?] = settings.policies.all.isEmpty ? [nil] : settings.policies.all
    var findings: [Finding] = []
    var offset: TimeInterval?
    var reached: ProviderProbe?
    var offers: [String] = []
    for policy in listed {
      let name = policy.map { " of \($0.id)" } ?? ""
      do {
        let probe = try await connector.oauth.probe(policy)
        offset = probe.clockOffset ?? offset
        // The request of the policy that a sign-in runs tells most.
        if reached?.signIn == nil || policy?.key == connector.oauth.configuration.defaultPolicy?.key { reached = probe }
        findings += documents(probe, name)
        offers += probe.unusedOffers.filter { !offers.contains($0) }
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        findings.append(Self.finding(of: error, check: "metadata" + name))
        findings.append(Finding("keys" + name, .skipped, "there is no metadata"))
      }
    }
    if !offers.isEmpty {
      findings.append(Finding("offers not used", .ok, "the provider offers \(offers.joined(separator: " and "))"))
    }
    findings.append(clock(offset, allowed: connector.oauth.configuration.clockSkew))
    return findings + (try await registration(reached?.signIn, connector.oauth.configuration))
  }

  private func documents(_ probe: ProviderProbe, _ name: String) -> [Finding] {
    let metadata =
      switch probe.issuer {
      case .success(let issuer): Finding("metadata" + name, .ok, "issuer \(issuer)")
      case .failure(let error): Self.finding(of: error, check: "metadata" + name)
      }
    let keys =
      switch probe.usableKeys {
      case .success(let count) where count > 0: Finding("keys" + name, .ok, "\(count) can verify a signature")
      case .success:
        Finding(
          "keys" + name, .failed, "none can verify a signature",
          recovery: keysAdvice)
      case .failure(let error): Self.finding(of: error, check: "keys" + name)
      case nil: Finding("keys" + name, .skipped, "there is no metadata")
      }
    return [metadata, keys]
      + (probe.obstacle.map { [Self.finding(of: $0, check: "pushed authorization requests" + name)] } ?? [])
  }

  private var keysAdvice: String {
    switch settings.authority.kind(for: policies.first) {
    case .b2c: "Check the policy's keys in the portal."
    case .openIDConnect: "Check the provider's signing keys."
    default: "The service publishes them: check the authority, and try again later."
    }
  }

  private func clock(_ offset: TimeInterval?, allowed: Duration) -> Finding {
    guard let offset else { return Finding("clock", .skipped, "no server sent its time") }
    let seconds = WholeNumber.rounding(offset, .toNearestOrAwayFromZero)
    guard abs(offset) > allowed.inSeconds else {
      return Finding("clock", .ok, "\(abs(seconds)) s from the server's")
    }
    if offset < -ProviderProbe.furthestAhead {
      return Finding(
        "clock", .failed, "this device is \(abs(seconds)) s ahead of the server",
        recovery: "Set the device's clock: every new token seems to have expired, so no sign-in works.")
    }
    return Finding(
      "clock", .warning, "this device is \(abs(seconds)) s \(seconds > 0 ? "behind" : "ahead of") the server",
      recovery: "Set the device's clock. Sign-in works nevertheless, since the difference is measured.")
  }

  private func registration(_ signIn: SignInProbe?, _ configuration: OAuthConfiguration) async throws -> [Finding] {
    guard let signIn else {
      return ["client ID", "redirect URI"].map { Finding($0, .skipped, "there is no metadata") }
    }
    return try await RegistrationProbe(
      clientID: configuration.clientID, redirectURI: configuration.redirectURI.absoluteString,
      isMicrosoft: isMicrosoft, signIn: signIn, transport: transport
    ).findings()
  }
}

// MARK: - This device

extension Diagnostics {
  /// A presenter knows nothing of the registration.
  private func presenterFinding() async -> Finding {
    let redirectURI = settings.redirectURI
    do {
      try presenter.validate(redirectURI: redirectURI)
      try await (presenter as? any SystemDependentPresenter)?.checkSystem()
      return Finding("presenter", .ok, "\(type(of: presenter)) can receive \(redirectURI.absoluteString)")
    } catch {
      let known = error as? any ExplainedError
      return Finding(
        "presenter", .failed, known?.message ?? "\(type(of: presenter)) cannot receive \(redirectURI.absoluteString)",
        recovery: known?.recoverySuggestion ?? "Use another presenter, or register another redirect URI.")
    }
  }

  /// Checks the cache's directory, reads the records, and proves that one could be stored; a custom cache is asked for its
  /// keys only, since what its calls cost or change is not known.
  private func cacheFinding() async throws -> Finding {
    let check = "token cache"
    do {
      let cache = try cache.get()
      let all: [TokenCacheKey]
      let (records, access): (String, String)
      if let own = cache as? any InspectableTokenCache, own.isInspectable {
        all = try await own.inspect()
        try await own.proveWritable()
        let isFile = cache is FileTokenCache
        (records, access) = (
          "readable records", "; writable" + (isFile ? "; no other user can read or write its files" : "")
        )
      } else {
        all = try await cache.keys()
        (records, access) = ("records", "; whether they can be read and written was not tried")
      }
      let keys = all.filter { $0.clientID.lowercased() == settings.clientID.lowercased() }
      let found = "\(type(of: cache)), \(records) of this app: \(keys.count)\(access)"
      guard let other = otherSpelling(keys) else { return Finding(check, .ok, found) }
      return Finding(
        check, .warning, "\(found); \(other.count) for this tenant written as \(other.authority) are another session",
        recovery: "Write \(other.authority) as the authority, or let the users of these sessions sign in again.")
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      return Self.finding(of: error, check: check)
    }
  }

  /// The records of this app for the same host whose tenant is a GUID where the settings have its name, or the reverse.
  private func otherSpelling(_ keys: [TokenCacheKey]) -> (count: Int, authority: String)? {
    guard isMicrosoft, let own = SpeltTenant(settings.authority.cacheID) else { return nil }
    let others = keys.map(\.authority).filter { text in
      SpeltTenant(text).map { $0.host == own.host && $0.isGUID != own.isGUID } == true
    }
    return others.first.map { (others.count, $0) }
  }

  /// A task API answers 401 to a request without a token.
  private func taskAPI() async throws -> Finding {
    let check = "task API"
    let configured = (try? connector.get())?.tasks?.configuration.baseURL
    guard let url = configured ?? settings.taskWebAPI else {
      return Finding(check, .skipped, "the settings contain none")
    }
    do {
      let response = try await transport.send(TransportRequest(url: url, headers: ["Accept": "application/json"]))
      let status = "answers \(response.status) without a token"
      switch response.status {
      case 401: return Finding(check, .ok, status)
      case 200..<300:
        return Finding(check, .warning, status, recovery: "The API requires no token: check its authentication.")
      case 300..<400:
        return Finding(
          check, .failed, status + ", a redirect, to which no token is sent",
          recovery: "Write the address it redirects to as taskWebAPI.")
      case 404: return Finding(check, .failed, status, recovery: "Check the path of taskWebAPI.")
      case 500...: return Finding(check, .failed, status, recovery: "Check the log of the API's server.")
      default:
        return Finding(
          check, .warning, status, recovery: "Expected 401: check that taskWebAPI is the list of tasks.")
      }
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      return Finding(
        check, .failed, (error as? TransportError)?.message ?? "the transport failed with \(type(of: error))",
        recovery: ["Check the address and the port of taskWebAPI.", (error as? TransportError)?.recoverySuggestion]
          .compactMap(\.self).joined(separator: " "))
    }
  }
}

/// An authority of Microsoft's as cache keys have it, by how its tenant is written.
private struct SpeltTenant {
  let host: Substring
  let isGUID: Bool

  /// Takes an authority apart; `nil` without a tenant, or with a name that is no tenant's own.
  init?(_ cacheID: String) {
    guard let slash = cacheID.lastIndex(of: "/") else { return nil }
    let tenant = cacheID[cacheID.index(after: slash)...]
    isGUID = GUID.isGUID(tenant)
    // `common` and the like mean any tenant.
    guard isGUID || tenant.contains(".") else { return nil }
    host = cacheID[..<slash]
  }
}
