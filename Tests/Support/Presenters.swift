package import B2CConnector
package import B2CTestKit
package import Foundation

/// A presenter that lets another one run the page and then changes the callback it brings.
package struct CallbackPresenter: SignInPresenter {
  package let inner: any SignInPresenter
  package let change: @Sendable (URL) throws -> URL

  package init(_ inner: any SignInPresenter, _ change: @escaping @Sendable (URL) throws -> URL) {
    self.inner = inner
    self.change = change
  }

  package func present(_ request: PresentationRequest) async throws -> URL {
    try change(try await inner.present(request))
  }
}

/// A presenter that answers with a text made from the request, without any page.
package struct CannedPresenter: SignInPresenter {
  package let answer: @Sendable (PresentationRequest) throws -> String

  package init(_ answer: @escaping @Sendable (PresentationRequest) throws -> String) {
    self.answer = answer
  }

  package func present(_ request: PresentationRequest) async throws -> URL {
    try require(URL(string: try answer(request)))
  }
}

/// A presenter that waits for something before it lets another one run the page.
package struct WaitingPresenter: SignInPresenter {
  package let inner: ScriptedPresenter
  package let wait: @Sendable () async throws -> Void

  package init(inner: ScriptedPresenter, wait: @escaping @Sendable () async throws -> Void) {
    self.inner = inner
    self.wait = wait
  }

  package func present(_ request: PresentationRequest) async throws -> URL {
    try await wait()
    return try await inner.present(request)
  }
}

extension URL {
  /// The URL with one piece of its text replaced.
  package func replacing(_ old: String, _ new: String) throws -> URL {
    try require(URL(string: absoluteString.replacing(old, with: new)))
  }
}
