import B2CConnector

/// The same job on a real tenant and API.
struct TenantTour: Sendable {
  let connector: Connector
  let policyID: String?
  let narrator: Narrator

  func run() async throws {
    let showsClaims = connector.settings.showClaims
    if !runsPolicies {
      narrator.step("1. oauth.signIn(): this authority has no policies.")
      narrator.user(try await connector.oauth.signIn().user, showsClaims: showsClaims)
    } else if let policyID {
      narrator.step("1. doPolicy(\(policyID))")
      narrator.user(try await connector.doPolicy(Policy(policyID)), showsClaims: showsClaims)
    } else {
      narrator.step("1. doPolicy(.signIn)")
      narrator.user(try await connector.doPolicy(.signIn), showsClaims: showsClaims)
    }
    let steps = TaskSteps(connector: connector, narrator: narrator)
    if connector.tasks != nil { try await steps.addListDelete(from: 2) }

    narrator.step("5. accessToken(forceRefresh: true): one silent refresh.")
    let token = try await connector.accessToken(forceRefresh: true)
    narrator.result("a token until \(token.expiresAt), for \(token.scopes.sorted().joined(separator: " "))")
    if connector.tasks != nil {
      narrator.tasks(try await connector.getTaskList())
      try await steps.callAfterSignOut(number: 6)
    } else {
      narrator.step("6. signOut()")
      try await connector.signOut()
    }
    narrator.step("Done.")
  }

  /// Entra ID, External ID and other issuers have none, unless the settings or the options name one all the same.
  private var runsPolicies: Bool {
    let settings = connector.settings
    return policyID != nil || settings.authority.kind == .b2c || !settings.policies.all.isEmpty
  }
}
