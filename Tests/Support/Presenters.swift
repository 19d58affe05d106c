package import B2CConnector
internal import B2CCore
package import B2CTestKit
package import Foundation

/// A presenter that lets another one run the page and then changes its callback.
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

/// A presenter that signs in by a script and shows the page of a sign-out itself.
package struct SignOutPresenter: SignInPresenter {
  private let signIn: ScriptedPresenter
  private let signOut: @Sendable (PresentationRequest) async throws -> URL

  package init(_ signIn: ScriptedPresenter, signOut: @escaping @Sendable (PresentationRequest) async throws -> URL) {
    self.signIn = signIn
    self.signOut = signOut
  }

  package func present(_ request: PresentationRequest) async throws -> URL {
    request.purpose == .signOut ? try await signOut(request) : try await signIn.present(request)
  }
}

/// The query of a URL, decoded.
package func query(of url: URL) -> [String: String] {
  let text = url.absoluteString.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
  return Dictionary(FormEncoding.decode(text).map { ($0.name, $0.value) }) { first, _ in first }
}
