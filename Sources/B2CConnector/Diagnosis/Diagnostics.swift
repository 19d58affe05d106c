internal import B2CCore
internal import Foundation

extension Connector {
  /// Checks settings, provider and presenter without signing in.
  ///
  /// Metadata and keys of each policy are fetched. The token cache is not touched.
  ///
  /// - Returns: The findings, in the order to fix them.
  /// - Throws: `CancellationError` when the calling task was cancelled.
  public func diagnose() async throws -> Diagnosis {
    try await Diagnostics(
      settings: settings, presenter: oauth.presenter, connector: .success(self)
    ).diagnosis()
  }

  /// Checks settings that may be unusable, and everything after them as far as possible.
  ///
  /// - Parameters:
  ///   - settings: The settings to check; reading them may throw.
  ///   - environment: The parts of the app: its presenter and transport.
  ///   - isolation: The caller's actor, on which `settings` is read. Leave it out.
  /// - Returns: The findings, in the order to fix them; every problem of unusable settings.
  /// - Throws: `CancellationError` when the calling task was cancelled.
  public static func diagnose(
    settings: @autoclosure () throws -> ConnectorSettings, environment: Connector.Environment = Connector.Environment(),
    // Without it, code on the main actor could not pass `settings`, which is not Sendable, in the Swift 6 mode.
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Diagnosis {
    let read: ConnectorSettings
    do {
      read = try ConnectorError.mapping { try settings() }
    } catch let error as ConnectorError {
      return Diagnosis(Diagnostics.findings(ofUnusable: error))
    }
    let connector = Result {
      // A presenter for every redirect URI and a cache that always works: those of the app must not prevent the checks.
      var harmless = environment
      harmless.presenter = ManualPresenter()
      harmless.cache = InMemoryTokenCache()
      return try Connector(settings: read, environment: harmless)
    }
    return try await Diagnostics(
      settings: read, presenter: environment.presenter ?? Defaults.presenter(), connector: connector
    ).diagnosis()
  }
}

/// The single checks of a diagnosis.
struct Diagnostics: Sendable {
  typealias Finding = Diagnosis.Finding

  let settings: ConnectorSettings
  /// The presenter of the app, whether or not it serves the redirect URI.
  let presenter: any SignInPresenter
  /// The connector, or why there is none.
  let connector: Result<Connector, any Error>

  /// Makes all checks, in the order in which their findings should be fixed.
  func diagnosis() async throws -> Diagnosis {
    var findings = Self.findings(of: settings)
    switch connector {
    case .success(let connector): findings += try await documents(connector)
    case .failure(let error):
      findings.append(Self.finding(of: error, check: "authority"))
      findings.append(Finding("metadata and keys", .skipped, "the authority must be fixed first"))
    }
    findings.append(presenterFinding())
    return Diagnosis(findings)
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
    let place = problem.keyPath.isEmpty ? "the file" : problem.keyPath
    let recovery = [problem.recoverySuggestion, problem.suggestion.map { "Write \($0)" }].compactMap(\.self)
    return Finding(
      "settings: " + place, outcome, problem.message,
      recovery: recovery.isEmpty ? nil : recovery.joined(separator: " "))
  }

  /// Returns an error as a finding; the text of an unknown error is not repeated, since it may contain anything.
  private static func finding(of error: any Error, check: String) -> Finding {
    let known = error as? ConnectorError
    return Finding(
      check, .failed, known?.message ?? "it failed with \(type(of: error))", recovery: known?.recoverySuggestion)
  }
}

// MARK: - The provider's documents

extension Diagnostics {
  /// Checks metadata and keys of every policy.
  private func documents(_ connector: Connector) async throws -> [Finding] {
    let policies: [Policy?] = settings.policies.all.isEmpty ? [settings.authority.policy] : settings.policies.all
    var findings: [Finding] = []
    for policy in policies {
      let name = policy.map { " of \($0.id)" } ?? ""
      var checked = "metadata"
      do {
        let provider = try await connector.oauth.fetchProvider(policy)
        findings.append(Finding("metadata" + name, .ok, "issuer \(provider.issuer)"))
        checked = "keys"
        let count = try await provider.usableKeyCount()
        findings.append(
          count > 0
            ? Finding("keys" + name, .ok, "\(count) can verify a signature")
            : Finding(
              "keys" + name, .failed, "none can verify a signature",
              recovery: policy == nil ? "Check the provider's signing keys." : "Check the policy's keys in the portal.")
        )
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        findings.append(Self.finding(of: error, check: checked + name))
        if checked == "metadata" { findings.append(Finding("keys" + name, .skipped, "there is no metadata")) }
      }
    }
    return findings
  }
}

// MARK: - This device

extension Diagnostics {
  private func presenterFinding() -> Finding {
    let redirectURI = settings.redirectURI
    do {
      try presenter.validate(redirectURI: redirectURI)
      return Finding("presenter", .ok, "\(type(of: presenter)) can receive \(redirectURI.absoluteString)")
    } catch {
      let known = error as? ConnectorError
      return Finding(
        "presenter", .failed, known?.message ?? "\(type(of: presenter)) cannot receive \(redirectURI.absoluteString)",
        recovery: known?.recoverySuggestion ?? "Use another presenter, or register another redirect URI.")
    }
  }
}
