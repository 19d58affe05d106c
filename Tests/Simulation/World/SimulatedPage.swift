import B2CConnector
import B2CTestKit
import Foundation

/// What a person does at the sign-in page.
struct PagePlan {
  /// Who forgets presses "Forgot your password?" at the first page and sets a new one at the second.
  enum Outcome: String { case completes, cancels, closes, breaks, forgets }

  var person: LocalUser
  var outcome = Outcome.completes
  /// How long the person looks at the page, in milliseconds.
  var time = 1000
  /// A new display name, for a policy that edits the profile.
  var newName: String?
  /// A new password, for a policy that resets it.
  var newPassword: String?

  /// Whether the new password is set at a page of the call.
  func changesPassword(at page: Int) -> Bool { newPassword != nil && page == (outcome == .forgets ? 2 : 1) }
}

/// The sign-in page of a connector: the local tenant's real pages, and a person who has a plan.
struct SimulatedPage: SignInPresenter {
  let process: AppProcess

  func present(_ request: PresentationRequest) async throws -> URL {
    let world = process.world
    await process.gate()
    guard let call = Call.current, let plan = call.plan else {
      world.ledger.fault("I4 a page opened for a call that may not open one", "\(Call.current?.name ?? "no call")")
      throw ConnectorError(own: .userClosedBrowser, "Nobody asked for this page.")
    }
    try await Task.sleep(for: .milliseconds(plan.time))
    await process.gate()
    // A presenter of the app that ends by itself as a cancelled task does.
    if plan.outcome == .breaks { throw CancellationError() }
    call.pages += 1
    let page = call.pages
    // A new password ends the person's sessions, somewhere between here and the answer.
    if plan.changesPassword(at: page) { world.notePassword(of: plan.person.id, by: call) }
    let url = try await world.person(of: plan, at: page).present(request)
    if plan.changesPassword(at: page) { world.notePassword(of: plan.person.id, by: call) }
    for item in URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? [] where item.name == "code" {
      world.watch.note(secret: item.value ?? "")
    }
    await process.gate()
    return url
  }

  /// Shows the page of a sign-in in two calls.
  func show(_ page: URL) async throws -> URL {
    let state = URLComponents(url: page, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == "state" }
    return try await present(
      PresentationRequest(
        url: page, redirectURI: process.world.settings.redirectURI, state: Secret(state?.value ?? "")))
  }
}
