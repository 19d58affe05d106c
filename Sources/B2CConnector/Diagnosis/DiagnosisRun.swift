internal import B2CCore
internal import Foundation

extension Connector {
  /// Checks settings, provider, sign-in page and presenter without signing in.
  ///
  /// It fetches the metadata and the keys of each policy. Then it requests the sign-in page of the default policy once,
  /// without a user (`prompt=none`, OpenID Connect Core section 3.1.2.1), without `offline_access` and without
  /// following redirects. If the provider sends the browser back to the app because no user is signed in, it accepts
  /// the client ID and the redirect URI. If it refuses the client ID, the redirect URI or a scope, the check fails with
  /// the provider's own words. Any other page, for example a login form or a busy server's, does not answer the
  /// question, so the check is skipped. The token cache is not used.
  ///
  /// ```swift
  /// let diagnosis = try await connector.diagnose()
  /// for finding in diagnosis.findings where finding.outcome == .failed {
  ///   print(finding.check, finding.detail, finding.recoverySuggestion ?? "")
  /// }
  /// ```
  ///
  /// - Returns: The findings, in the order in which you should fix them.
  /// - Throws: `CancellationError` if the calling task was cancelled.
  public func diagnose() async throws -> Diagnosis {
    try await DiagnosisRun(
      settings: settings, presenter: engine.signIn.presenter, isOptional: true, connector: .success(self)
    ).diagnosis()
  }

  /// Checks settings that may be unusable, and then everything else that they allow to check.
  ///
  /// ```swift
  /// let diagnosis = try await Connector.diagnose(settings: .main)
  /// print(diagnosis)
  /// ```
  ///
  /// - Parameters:
  ///   - settings: The settings to check. Reading them may throw.
  ///   - environment: The parts of your app, of which the presenter and the transport are checked and used.
  ///   - isolation: The caller's actor, on which `settings` is read. Leave it out.
  /// - Returns: The findings, in the order in which you should fix them, or all problems of unusable settings.
  /// - Throws: `CancellationError` if the calling task was cancelled.
  public static func diagnose(
    settings: @autoclosure () throws -> ConnectorSettings, environment: Environment = Environment(),
    // Without this parameter, code on the main actor could not pass `settings`, which is not `Sendable`, in Swift 6.
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Diagnosis {
    let read: ConnectorSettings
    do {
      read = try settings()
    } catch {
      try Task.checkCancellation()
      return Diagnosis(DiagnosisRun.findings(ofUnusable: error))
    }
    // An error of the app's presenter or cache must not prevent the other checks, so the connector gets neither.
    var harmless = environment
    harmless.presenter = nil
    harmless.cache = InMemoryTokenCache()
    return try await DiagnosisRun(
      settings: read, presenter: environment.presenter ?? DefaultPresenter.make(),
      isOptional: environment.presenter == nil,
      connector: Result { try Connector(settings: read, environment: harmless) }
    ).diagnosis()
  }
}

/// The checks of a diagnosis.
struct DiagnosisRun: Sendable {
  typealias Finding = Diagnosis.Finding

  let settings: ConnectorSettings
  /// The presenter of the app, or the platform's own, even if it cannot receive the redirect URI.
  let presenter: any SignInPresenter
  /// Whether the app may do without this presenter, as a server does whose users return to an https URL.
  let isOptional: Bool
  /// The connector, or the error that prevents it from being created.
  let connector: Result<Connector, any Error>

  /// Makes all checks, in the order in which their findings should be fixed.
  func diagnosis() async throws -> Diagnosis {
    var findings = Self.findings(of: settings)
    switch connector {
    case .success(let connector): findings += try await Self.findings(of: connector)
    case .failure(let error):
      let skipped = Finding("metadata and keys", .skipped, "fix the authority first")
      findings += [Self.finding(of: error, check: "authority"), skipped]
    }
    let presenterFinding = try await Self.check("presenter") {
      let redirectURI = settings.redirectURI
      do {
        try presenter.validate(redirectURI: redirectURI)
      } catch  where isOptional && redirectURI.scheme?.lowercased() == "https" {
        return (.skipped, "no presenter can receive https, but `beginSignIn` and `finishSignIn` need none", nil)
      }
      return (.ok, "\(type(of: presenter)) can receive \(redirectURI.absoluteString)", nil)
    }
    return Diagnosis(findings + [presenterFinding])
  }

  /// Makes a check, and turns an error of it into its finding.
  private static func check(
    _ name: String, _ body: () async throws -> (Finding.Outcome, String, recovery: String?)
  ) async throws -> Finding {
    let result: Finding
    do {
      let (outcome, detail, recovery) = try await body()
      result = Finding(name, outcome, detail, recovery: recovery)
    } catch {
      result = finding(of: error, check: name)
    }
    // If the task is cancelled, the result may be wrong, because any part may have failed for that reason.
    try Task.checkCancellation()
    return result
  }

  /// Returns an error as a finding, without the text of an unknown error, which may contain secrets.
  private static func finding(of error: any Error, check: String) -> Finding {
    guard let error = error as? ConnectorError else {
      return Finding(check, .failed, "the check threw \(type(of: error))")
    }
    let code = error.serverCode.map { " [\($0)]" } ?? ""
    let detail = error.message + code + (error.serverDescription.map(ErrorText.said) ?? "")
    return Finding(check, .failed, detail, recovery: error.recoverySuggestion)
  }

  // MARK: Settings

  /// Returns all problems of settings that cannot be read, which prevent all other checks.
  static func findings(ofUnusable error: any Error) -> [Finding] {
    let file = (error as? SettingsError)?.file ?? "the settings"
    let skipped = Finding("all other checks", .skipped, "fix \(file) first")
    guard let settings = error as? SettingsError else { return [finding(of: error, check: "settings"), skipped] }
    return settings.problems.map { finding(of: $0, .failed) } + settings.warnings.map { finding(of: $0, .warning) }
      + [skipped]
  }

  private static func findings(of settings: ConnectorSettings) -> [Finding] {
    let warnings = settings.warnings.map { finding(of: $0, .warning) }
    return warnings.isEmpty ? [Finding("settings", .ok, "every key can be read")] : warnings
  }

  private static func finding(of problem: SettingsProblem, _ outcome: Finding.Outcome) -> Finding {
    let place = problem.keyPath.isEmpty ? "the file" : problem.keyPath
    return Finding("settings: " + place, outcome, problem.message, recovery: problem.advice)
  }

  // MARK: The provider

  /// Checks the sign-in policy, the metadata and the keys of every policy, and the sign-in page.
  private static func findings(of connector: Connector) async throws -> [Finding] {
    let engine = connector.engine
    let signIn = engine.signInPolicy
    var policies: [Policy?] = connector.settings.policies.all
    // The policy in the authority's URL may be missing from the settings' policies, but it must be checked too.
    if signIn != nil || policies.isEmpty, !policies.contains(where: { $0?.key == signIn?.key }) {
      policies.append(signIn)
    }
    let source = connector.settings.policies.source
    var findings: [Finding]
    do {
      let policy = try connector.policy(for: .signIn)
      findings = policy.map { [Finding("sign-in policy", .ok, "\($0.id) (\(source($0)))")] } ?? []
    } catch {
      findings = [finding(of: error, check: "sign-in policy")]
    }
    var canAsk = findings.allSatisfy { $0.outcome == .ok }
    for policy in policies {
      let name = policy.map { " of \($0.id)" } ?? ""
      let metadata = try await check("metadata" + name) {
        let (published, unusable) = try await engine.check.fetchProvider(policy)
        let issuer = "issuer \(PrintableText.plain(published))" + (policy.map { " (\(source($0)))" } ?? "")
        guard !unusable.isEmpty else { return (.ok, issuer, nil) }
        let detail = "\(issuer); these endpoints cannot be used and are ignored: \(unusable.joined(separator: ", "))"
        return (.warning, detail, "Have the issuer publish them as https URLs without parameters of the protocol.")
      }
      let keys = try await check("keys" + name) {
        guard metadata.outcome != .failed else { return (.skipped, "fix the metadata first", nil) }
        let count = try await engine.check.usableKeyCount(policy)
        guard count == 0 else { return (.ok, "\(count) can verify a signature", nil) }
        let advice = policy == nil ? "Check the provider's signing keys." : "Check the policy's keys in the portal."
        return (.failed, "none can verify a signature", advice)
      }
      findings += [metadata, keys]
      if metadata.outcome == .failed, policy?.key == signIn?.key { canAsk = false }
    }
    let page = try await check("sign-in page") {
      guard canAsk else { return (.skipped, "fix the failed checks first", nil) }
      let (instead, isOfflineAccessLeftOut) = try await engine.check.askSignInPage()
      let advice = "Sign in once to see whether the client ID, the redirect URI and the scopes are accepted."
      if let instead { return (.skipped, instead, advice) }
      let leftOut = isOfflineAccessLeftOut ? "; offline_access was not requested" : ""
      return (.ok, "client ID and redirect URI are accepted; scopes are checked at the sign-in" + leftOut, nil)
    }
    return findings + [page]
  }
}

extension ConnectorSettings.Policies {
  /// Returns a policy's kind and the settings' key that decides it, because the policy's name says nothing.
  fileprivate func source(of policy: Policy) -> String {
    let keys = ["policyID", "emailSignInPolicyId", "emailSignUpPolicyId", "faceBookSignInPolicyId"]
    let named: [Policy?] = [selected, emailSignIn, emailSignUp, facebookSignIn] + others
    let index = named.firstIndex(of: policy)
    let source = index.map { $0 < keys.count ? keys[$0] : "policies[\($0 - keys.count)]" } ?? "the authority"
    return "kind \(policy.kindOrDefault.rawValue), from \(source)"
  }
}
