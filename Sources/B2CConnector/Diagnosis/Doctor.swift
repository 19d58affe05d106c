internal import B2CCore
internal import Foundation

/// Makes the single checks of a diagnosis.
struct Doctor: Sendable {
  typealias Finding = Diagnosis.Finding

  let connector: Connector

  private var configuration: OAuthConfiguration { connector.oauth.configuration }

  /// What an error of making a connector says, problem by problem.
  static func findings(of error: ConnectorError) -> [Finding] {
    if let settings = error.underlying as? SettingsError {
      return settings.problems.map { finding(of: $0, .failed) }
    }
    let check =
      switch error.code {
      case .retiredAuthority, .configuration: "authority"
      case .unsupportedRedirectURI: "redirect URI"
      case .tokenCache: "token cache"
      default: "settings"
      }
    return [Finding(check, .failed, error.message, mend: error.recoverySuggestion)]
  }

  func settings() -> [Finding] {
    let warnings = connector.settings.warnings.map { Self.finding(of: $0, .warning) }
    return warnings.isEmpty ? [Finding("settings", .ok, "every key is readable")] : warnings
  }

  func authority() -> Finding {
    let authority = configuration.authority
    let policies = connector.settings.policies.all.map(\.id)
    return Finding(
      "authority", .ok,
      "\(authority.baseURL.absoluteString), \(authority.kind.rawValue), "
        + (policies.isEmpty ? "no policies" : "policies \(policies.joined(separator: ", "))"))
  }

  func redirect() -> Finding {
    let redirectURI = configuration.redirectURI
    do {
      try connector.environment.presenter.validate(redirectURI: redirectURI)
      return Finding("redirect URI", .ok, "\(redirectURI.absoluteString) is served by the presenter")
    } catch {
      return Finding(
        "redirect URI", .failed, (error as? OAuthError)?.message ?? "the presenter cannot serve it",
        mend: (error as? OAuthError)?.recoverySuggestion)
    }
  }

  /// Metadata and keys of every policy, then the clock.
  func provider() async throws -> [Finding] {
    let policies: [Policy?] = connector.settings.policies.all.isEmpty ? [nil] : connector.settings.policies.all
    var findings: [Finding] = []
    var offset: TimeInterval?
    for policy in policies {
      let probe = try await connector.oauth.probe(policy)
      let name = policy.map { " of \($0.id)" } ?? ""
      offset = probe.clockOffset ?? offset
      switch probe.issuer {
      case .success(let issuer): findings.append(Finding("metadata" + name, .ok, "issuer \(issuer)"))
      case .failure(let error):
        findings.append(Finding("metadata" + name, .failed, error.message, mend: error.recoverySuggestion))
      }
      switch probe.usableKeys {
      case .success(let count) where count > 0:
        findings.append(Finding("keys" + name, .ok, "\(count) can verify a signature"))
      case .success:
        findings.append(
          Finding("keys" + name, .failed, "none can verify a signature", mend: "Check the policy's keys in the portal.")
        )
      case .failure(let error):
        findings.append(Finding("keys" + name, .failed, error.message, mend: error.recoverySuggestion))
      case nil: findings.append(Finding("keys" + name, .skipped, "there is no metadata"))
      }
    }
    return findings + [clock(offset)]
  }

  private func clock(_ offset: TimeInterval?) -> Finding {
    guard let offset else { return Finding("clock", .skipped, "no server has told the time") }
    let seconds = Int(offset.rounded())
    guard abs(offset) > configuration.clockSkew.components.seconds.magnitudeAsDouble else {
      return Finding("clock", .ok, "\(abs(seconds)) s from the server's")
    }
    return Finding(
      "clock", .warning, "this device is \(abs(seconds)) s \(seconds > 0 ? "behind" : "ahead of") the server",
      mend: "Set the device's clock. Sign-in works all the same, since the difference is measured.")
  }

  /// Writes, reads and removes a record that belongs to nobody.
  func cache() async throws -> Finding {
    let cache = connector.environment.cache
    let key = TokenCacheKey(
      authority: configuration.authority.cacheID, policy: "", clientID: configuration.clientID,
      accountID: "diagnosis.\(UUID().uuidString)")
    let record = TokenRecord(signedInAt: Date(timeIntervalSince1970: 0))
    do {
      try await cache.store(record, for: key)
      let read = try await cache.record(for: key)
      try await cache.removeRecord(for: key)
      guard read == record, try await cache.record(for: key) == nil else {
        return Finding(
          "token cache", .failed, "\(type(of: cache)) does not give back what it was given",
          mend: "Prove the cache with TokenCacheConformance.")
      }
      return Finding("token cache", .ok, "\(type(of: cache)) reads, writes and removes")
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      let known = error as? TokenCacheError
      return Finding(
        "token cache", .failed, known?.message ?? "\(type(of: cache)) failed", mend: known?.recoverySuggestion)
    }
  }

  /// A task API that is there answers 401 to a request without a token.
  func taskAPI() async throws -> Finding {
    guard let tasks = connector.tasks else { return Finding("task API", .skipped, "the settings name none") }
    let url = tasks.configuration.baseURL
    do {
      let response = try await connector.environment.transport.send(
        TransportRequest(url: url, headers: ["Accept": "application/json"]))
      switch response.status {
      case 401: return Finding("task API", .ok, "answers 401 to no token")
      case 200..<300:
        return Finding(
          "task API", .warning, "answers \(response.status) to no token",
          mend: "The API lets anybody in: check its authentication.")
      case 404: return Finding("task API", .failed, "answers 404", mend: "Check the path of taskWebAPI.")
      default:
        return Finding("task API", .warning, "answers \(response.status) to no token", mend: "A 401 was expected.")
      }
    } catch let error as TransportError {
      return Finding("task API", .failed, error.message, mend: "Check the address and the port of taskWebAPI.")
    }
  }

  private static func finding(of problem: SettingsProblem, _ outcome: Finding.Outcome) -> Finding {
    let place = problem.keyPath + (problem.line.map { " (line \($0))" } ?? "")
    return Finding(
      "settings: " + place, outcome, problem.message,
      mend: problem.correctedValue.map { "Write \($0)" } ?? problem.advice)
  }
}

extension Int64 {
  fileprivate var magnitudeAsDouble: Double { Double(magnitude) }
}
