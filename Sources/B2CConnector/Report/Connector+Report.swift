internal import B2CCore
internal import B2COAuth
internal import Foundation

extension Connector {
  /// Returns one text for a support ticket: versions, settings, accounts, clock, and what the connector did last.
  ///
  /// It has no token and no other secret, no names and no email addresses. An account is told by six characters. The last 200
  /// events have their times and correlation ids; they are kept in memory, whether or not
  /// ``OAuthEnvironment/onEvent`` is set.
  ///
  /// - Parameter includesDiagnosis: Whether to add the findings of ``diagnose()``, for which requests are sent.
  /// - Returns: Lines of text, times in UTC.
  /// - Throws: `CancellationError` when the calling task was cancelled.
  public func report(includesDiagnosis: Bool = false) async throws -> String {
    var sections = [
      ["\(Library.name) \(Library.version), \(ProcessInfo.processInfo.operatingSystemVersionString)"],
      ["time: " + InternetTime.text(from: environment.now().timeIntervalSince1970), "clock: " + clockLine],
      settingsLines, partsLines, await accountLines(),
      ["events: the last \(EventLog.capacity) at most"] + eventLog.lines.map { "  " + $0 },
    ]
    if includesDiagnosis {
      // Paths of the token cache may hold the name of the system's user.
      let findings = "\(try await diagnose())".replacingOccurrences(of: NSHomeDirectory(), with: "~")
      sections.append(["diagnosis:", findings])
    }
    return sections.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  private var clockLine: String {
    guard let offset = oauth.clockOffset else { return "no server has told its time yet" }
    let seconds = WholeNumber.rounding(offset, .toNearestOrAwayFromZero)
    return "\(abs(seconds)) s \(seconds < 0 ? "ahead of" : "behind") the server"
  }

  private var settingsLines: [String] {
    let configuration = oauth.configuration
    let policies = settings.policies.all.map { "\($0.id) (\($0.kind.rawValue))" }
    return [
      "authority: \(RedactedURL(settings.authority.baseURL)), \(settings.authority.kind(for: settings.policies.all.first).rawValue)",
      "client ID: \(settings.clientID)",
      "redirect URI: \(RedactedURL(settings.redirectURI))",
      "scopes: " + Self.list(settings.scopes + settings.additionalScopes),
      "policies: " + Self.list(policies),
      "default policy: " + (configuration.defaultPolicy?.id ?? "none"),
      "task API: " + (settings.taskWebAPI.map { "\(RedactedURL($0))" } ?? "none"),
      "other APIs: " + Self.list(allowedOrigins.map(\.description).sorted()),
      "required user: " + (settings.userID == nil ? "none" : "set"),
      "trusted audiences: " + Self.list(configuration.trustedAudiences.sorted()),
      "offline access: \(configuration.offlineAccess.rawValue)",
      "refresh: \(configuration.refresh)",
      "expiry margin: \(configuration.expiryMargin), clock skew: \(configuration.clockSkew)",
      "deadline: \(configuration.limits.deadline), tries: \(configuration.retry.maximumAttempts)",
      "warnings: \(settings.warnings.count)",
    ]
  }

  private var partsLines: [String] {
    [
      "token cache: \(type(of: oauth.tokenCache))", "presenter: \(type(of: oauth.presenter))",
      "transport: \(type(of: environment.transport))",
    ]
  }

  private func accountLines() async -> [String] {
    do {
      let accounts = try await accounts()
      let lines = accounts.map { account in
        "  \(Self.shortened(account.id)): \(account.hasSession ? "has a session" : "the session has ended")"
      }
      return ["accounts: \(accounts.count)"] + lines
    } catch {
      return ["accounts: cannot be read (\((error as? any ExplainedError)?.code.rawValue ?? "\(type(of: error))"))"]
    }
  }

  /// The object id's first six characters, or those of a hash where an id is no GUID and may be a name.
  private static func shortened(_ accountID: String) -> String {
    let objectID = accountID.prefix { $0 != "." }
    guard !GUID.isGUID(objectID) else { return objectID.prefix(6) + "…" }
    return "#" + Base64URL.encode(SHA256Digest.of(accountID)).prefix(6) + "…"
  }

  private static func list(_ words: [String]) -> String { words.isEmpty ? "none" : words.joined(separator: ", ") }
}
