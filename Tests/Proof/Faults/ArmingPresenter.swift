import B2CConnector
import B2CCore
import B2CTestKit
import Foundation

/// A person at the sign-in page, after whom something goes wrong.
final class ArmingPresenter: SignInPresenter {
  private let person: ScriptedPresenter
  private let action = Locked<(@Sendable () async -> Void)?>(nil)

  init() {
    person = ScriptedPresenter(transport: URLSessionTransport(), .signIn(.alice))
  }

  /// Has something done when the page has been left, once.
  func whenLeft(_ action: @escaping @Sendable () async -> Void) {
    self.action.withLock { $0 = action }
  }

  func validate(redirectURI: URL) throws { try person.validate(redirectURI: redirectURI) }

  func present(_ request: PresentationRequest) async throws -> URL {
    let url = try await person.present(request)
    let action = action.withLock { action in
      defer { action = nil }
      return action
    }
    await action?()
    return url
  }
}
