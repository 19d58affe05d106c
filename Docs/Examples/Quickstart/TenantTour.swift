import B2CConnector
import Foundation

/// The same job on a real tenant and API.
struct TenantTour: Sendable {
  let connector: Connector
  let arguments: Arguments
  let story: Story

  func run() async throws {
    story.title("Tenant \(connector.settings.authority)")
    try await signIn()
    let refresh = {
      try await story.step("accessToken()") {
        let token = try await connector.accessToken(forceRefresh: true)
        return "refreshed without a page, for \(token.scopes.sorted().joined(separator: " "))"
      }
    }
    let steps = TaskSteps(connector: connector, story: story, mark: "Quickstart: ")
    if connector.settings.taskWebAPI != nil {
      try await steps.run {
        try await refresh()
        try await story.step("getTaskList()") { TaskSteps.summary(try await connector.getTaskList()) }
      }
    } else {
      try await refresh()
    }
    try await story.step("signOut()") {
      try await connector.signOut()
      return "the tokens are gone"
    }
    if connector.settings.taskWebAPI != nil { try await steps.callAfterSignOut() }
    await story.end(next: "add B2CConnector to your app, as README.md shows")
  }

  private func signIn() async throws {
    let options = SignInOptions(prompt: arguments.prompt)
    let call = arguments.policy.map { "doPolicy(\($0))" } ?? (hasPolicies ? "doPolicy(.signIn)" : "signIn()")
    try await story.step(call) {
      let user =
        if let policyID = arguments.policy {
          try await connector.doPolicy(Policy(policyID), options: options)
        } else {
          try await connector.signIn(options: options).user
        }
      return "\(user) signed in" + (user.policyID.map { ", by \($0)" } ?? "")
    }
    try await story.claims(connector.session, connector.settings.showClaims)
  }

  /// Entra ID, External ID and other issuers have none, unless the settings name one all the same.
  private var hasPolicies: Bool {
    connector.settings.authority.kind == .b2c || !connector.settings.policies.all.isEmpty
  }
}
