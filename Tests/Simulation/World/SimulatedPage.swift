#if os(Linux)
  import B2CConnector
  import B2CTestKit
  import Foundation

  /// What a person does at the sign-in page.
  struct PagePlan {
    enum Outcome: String { case completes, cancels, closes, breaks }

    var person: LocalUser
    var outcome = Outcome.completes
    /// How long the person looks at the page, in milliseconds.
    var time = 1000
    /// A new display name, for a policy that edits the profile.
    var newName: String?
  }

  /// The sign-in page of a connector: the local tenant's real pages, and a person who has a plan.
  struct SimulatedPage: SignInPresenter {
    let process: AppProcess

    init(_ process: AppProcess) {
      self.process = process
    }

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
      let presenter = world.person(of: plan)
      let url = try await presenter.present(request)
      for item in URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? [] where item.name == "code" {
        world.watch.note(secret: item.value ?? "")
      }
      await process.gate()
      return url
    }
  }
#endif
