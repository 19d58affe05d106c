internal import B2CCore
internal import Foundation

extension Connector {
  /// Checks settings, provider, sign-in page and presenter without signing in.
  ///
  /// Metadata and keys of each policy are fetched. One request asks for the sign-in page of the default policy, without a
  /// user (`prompt=none`, OpenID Connect Core section 3.1.2.1) and without `offline_access`; no redirect is followed. If the
  /// service sends the browser back to the app because there is no user, it accepts the client ID and the redirect URI. A
  /// client ID, redirect URI or scope that it refuses is a failure in its words. Any other page, for example a login form or
  /// a busy server's, answers nothing, so the check is skipped. The token cache is not touched.
  ///
  /// ```swift
  /// let diagnosis = try await connector.diagnose()
  /// for finding in diagnosis.findings where finding.outcome == .failed {
  ///   print(finding.check, finding.detail, finding.recoverySuggestion ?? "")
  /// }
  /// ```
  ///
  /// - Returns: The findings, in the order to fix them.
  /// - Throws: `CancellationError` when the calling task was cancelled.
  public func diagnose() async throws -> Diagnosis {
    try await DiagnosisRun(
      settings: settings, presenter: engine.signIn.presenter, isOptional: true, connector: .success(self)
    ).diagnosis()
  }

  /// Checks settings that may be unusable, and everything after them as far as possible.
  ///
  /// ```swift
  /// let diagnosis = try await Connector.diagnose(settings: .main)
  /// print(diagnosis)
  /// ```
  ///
  /// - Parameters:
  ///   - settings: The settings to check; reading them may throw.
  ///   - environment: The parts of the app: its presenter and transport.
  ///   - isolation: The caller's actor, on which `settings` is read. Leave it out.
  /// - Returns: The findings, in the order to fix them; every problem of unusable settings.
  /// - Throws: `CancellationError` when the calling task was cancelled.
  public static func diagnose(
    settings: @autoclosure () throws -> ConnectorSettings, environment: Environment = Environment(),
    // Without it, code on the main actor could not pass `settings`, which is not Sendable, in the Swift 6 mode.
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Diagnosis {
    let read: ConnectorSettings
    do {
      read = try settings()
    } catch {
      try Task.checkCancellation()
      return Diagnosis(DiagnosisRun.findings(ofUnusable: error))
    }
    // Presenter and cache of the app must not prevent the other checks.
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

/// The single checks of a diagnosis.
struct DiagnosisRun: Sendable {
  typealias Finding = Diagnosis.Finding

  let settings: ConnectorSettings
  /// The presenter of the app, or the platform's, whether or not it serves the redirect URI.
  let presenter: any SignInPresenter
  /// Whether it may be the platform's: a server whose visitors return by https needs none.
  let isOptional: Bool
  /// The connector, or why there is none.
  let connector: Result<Connector, any Error>

  /// Makes all checks, in the order in which their findings should be fixed.
  func diagnosis() async throws -> Diagnosis {
    var findings = Self.findings(of: settings)
    switch connector {
    case .success(let connector): findings += try await Self.findings(of: connector)
    case .failure(let error):
      let skipped = Finding("metadata and keys", .skipped, "the authority must be fixed first")
      findings += [Self.finding(of: error, check: "authority"), skipped]
    }
    let presenterFinding = try await Self.check("presenter") {
      let redirectURI = settings.redirectURI
      do {
        try presenter.validate(redirectURI: redirectURI)
      } catch  where isOptional && redirectURI.scheme?.lowercased() == "https" {
        return (.skipped, "there is none for https: beginSignIn and finishSignIn need none", nil)
      }
      return (.ok, "\(type(of: presenter)) can receive \(redirectURI.absoluteString)", nil)
    }
    return Diagnosis(findings + [presenterFinding])
  }

  /// Makes a check, whose error is its finding.
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
    // What is found then, also by parts of the app, is worth nothing.
    try Task.checkCancellation()
    return result
  }

  /// Returns an error as a finding; the text of an unknown error is not repeated, since it may contain anything.
  private static func finding(of error: any Error, check: String) -> Finding {
    guard let error = error as? ConnectorError else {
      return Finding(check, .failed, "it failed with \(type(of: error))")
    }
    let code = error.serverCode.map { " [\($0)]" } ?? ""
    let detail = error.message + code + (error.serverDescription.map(ErrorText.said) ?? "")
    return Finding(check, .failed, detail, recovery: error.recoverySuggestion)
  }
}

// MARK: - Settings

extension DiagnosisRun {
  /// Returns every problem of settings that cannot be read; all other checks depend on them.
  static func findings(ofUnusable error: any Error) -> [Finding] {
    let file = (error as? SettingsError)?.file ?? "the settings"
    let skipped = Finding("all other checks", .skipped, file + " must be fixed first")
    guard let settings = error as? SettingsError else { return [finding(of: error, check: "settings"), skipped] }
    return settings.problems.map { finding(of: $0, .failed) } + settings.warnings.map { finding(of: $0, .warning) }
      + [skipped]
  }

  private static func findings(of settings: ConnectorSettings) -> [Finding] {
    let warnings = settings.warnings.map { finding(of: $0, .warning) }
    return warnings.isEmpty ? [Finding("settings", .ok, "every key is readable")] : warnings
  }

  private static func finding(of problem: SettingsProblem, _ outcome: Finding.Outcome) -> Finding {
    let place = problem.keyPath.isEmpty ? "the file" : problem.keyPath
    return Finding("settings: " + place, outcome, problem.message, recovery: problem.advice)
  }
}

// MARK: - The provider

extension DiagnosisRun {
  /// Checks that a sign-in has a policy, metadata and keys of every policy, and the sign-in page.
  private static func findings(of connector: Connector) async throws -> [Finding] {
    let engine = connector.engine
    let signIn = engine.signInPolicy
    var policies: [Policy?] = connector.settings.policies.all
    // That of the authority's text may be in no list.
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
        let detail = "\(issuer); cannot be used, and is ignored: \(unusable.joined(separator: ", "))"
        return (.warning, detail, "Have the issuer publish an https URL without parameters of the protocol.")
      }
      let keys = try await check("keys" + name) {
        guard metadata.outcome != .failed else { return (.skipped, "there is no metadata", nil) }
        let count = try await engine.check.usableKeyCount(policy)
        guard count == 0 else { return (.ok, "\(count) can verify a signature", nil) }
        let advice = policy == nil ? "Check the provider's signing keys." : "Check the policy's keys in the portal."
        return (.failed, "none can verify a signature", advice)
      }
      findings += [metadata, keys]
      if metadata.outcome == .failed, policy?.key == signIn?.key { canAsk = false }
    }
    let page = try await check("sign-in page") {
      guard canAsk else { return (.skipped, "what it needs must be fixed first", nil) }
      let (instead, isOfflineAccessLeftOut) = try await engine.check.askSignInPage()
      let advice = "Sign in once: only that shows if client ID, redirect URI and scopes are accepted."
      if let instead { return (.skipped, instead, advice) }
      let leftOut = isOfflineAccessLeftOut ? "; offline_access was not asked for" : ""
      return (.ok, "client ID and redirect URI are accepted; scopes are checked at the sign-in" + leftOut, nil)
    }
    return findings + [page]
  }
}

extension ConnectorSettings.Policies {
  /// The kind of a policy and the key of the settings that it comes from, since the words of its name say nothing.
  fileprivate func source(of policy: Policy) -> String {
    let keys = ["policyID", "emailSignInPolicyId", "emailSignUpPolicyId", "faceBookSignInPolicyId"]
    let named: [Policy?] = [selected, emailSignIn, emailSignUp, facebookSignIn] + others
    let index = named.firstIndex(of: policy)
    let source = index.map { $0 < keys.count ? keys[$0] : "policies[\($0 - keys.count)]" } ?? "the authority"
    return "kind \(policy.kindOrDefault.rawValue), from \(source)"
  }
}
