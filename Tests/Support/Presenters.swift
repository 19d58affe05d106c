package import B2CConnector
internal import B2CCore
package import Foundation

/// A presenter that a closure stands for.
package struct ClosurePresenter: SignInPresenter {
  private let page: @Sendable (PresentationRequest) async throws -> URL

  package init(_ page: @escaping @Sendable (PresentationRequest) async throws -> URL) { self.page = page }

  /// Lets another presenter run the page, and changes its callback.
  package init(_ inner: any SignInPresenter, _ change: @escaping @Sendable (URL) throws -> URL) {
    page = { try change(try await inner.present($0)) }
  }

  package func present(_ request: PresentationRequest) async throws -> URL { try await page(request) }
}

/// A presenter that answers with a text made from the request, without any page.
package struct CannedPresenter: SignInPresenter {
  package let answer: @Sendable (PresentationRequest) throws -> String

  package init(_ answer: @escaping @Sendable (PresentationRequest) throws -> String) { self.answer = answer }

  package func present(_ request: PresentationRequest) async throws -> URL { try url(answer(request)) }
}

extension URL {
  package func replacing(_ old: String, _ new: String) throws -> URL {
    try require(URL(string: absoluteString.replacing(old, with: new)))
  }
}

package func query(of url: URL) -> [String: String] {
  let text = url.absoluteString.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
  return Dictionary(FormEncoding.decode(text).map { ($0.name, $0.value) }) { first, _ in first }
}
