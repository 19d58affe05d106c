import B2COAuth
import B2CTestKit
import Foundation

/// A presenter that lets another one run the page and then changes the callback it brings.
struct CallbackPresenter: SignInPresenter {
  let inner: any SignInPresenter
  let change: @Sendable (URL) throws -> URL

  init(_ inner: any SignInPresenter, _ change: @escaping @Sendable (URL) throws -> URL) {
    self.inner = inner
    self.change = change
  }

  func present(_ request: PresentationRequest) async throws -> URL {
    try change(try await inner.present(request))
  }
}

/// A presenter that answers with a text made from the request, without any page.
struct CannedPresenter: SignInPresenter {
  let answer: @Sendable (PresentationRequest) throws -> String

  init(_ answer: @escaping @Sendable (PresentationRequest) throws -> String) {
    self.answer = answer
  }

  func present(_ request: PresentationRequest) async throws -> URL {
    try require(URL(string: try answer(request)))
  }
}

/// A presenter that waits for something before it lets another one run the page.
struct WaitingPresenter: SignInPresenter {
  let inner: ScriptedPresenter
  let wait: @Sendable () async throws -> Void

  func present(_ request: PresentationRequest) async throws -> URL {
    try await wait()
    return try await inner.present(request)
  }
}

extension URL {
  /// The URL with one piece of its text replaced.
  func replacing(_ old: String, _ new: String) throws -> URL {
    try require(URL(string: absoluteString.replacing(old, with: new)))
  }
}
