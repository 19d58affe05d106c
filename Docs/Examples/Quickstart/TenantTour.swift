import B2CConnector

/// The same job on a real tenant and API.
struct TenantTour: Sendable {
  let connector: Connector
  let policyID: String?
  let narrator: Narrator

  func run() async throws {
    let showsClaims = connector.settings.showClaims
    narrator.step("1. doPolicy(\(policyID ?? ".signIn"))")
    if let policyID {
      narrator.user(try await connector.doPolicy(Policy(policyID)), showsClaims: showsClaims)
    } else {
      narrator.user(try await connector.doPolicy(.signIn), showsClaims: showsClaims)
    }
    let steps = TaskSteps(connector: connector, narrator: narrator)
    if connector.tasks != nil { try await steps.addListDelete(from: 2) }

    narrator.step("5. accessToken(clearingCache: true): one silent refresh.")
    let token = try await connector.accessToken(clearingCache: true)
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
}
