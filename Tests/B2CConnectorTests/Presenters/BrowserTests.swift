import B2CConnector
import B2CCore
import Foundation
import TestSupport
import Testing

@Suite(.descriptors(), .hangLimit)
struct BrowserTests {
  @Test(
    "only pages of https and of this machine are opened",
    arguments: ["file:///etc/passwd", "http://login.example/", "com.example.app:/x", "javascript:1"])
  func refuses(_ page: String) async throws {
    let opened = LockedFlag()
    await expectError(ConnectorError.self, .presentationFailed) {
      _ = try await ExternalBrowserPresenter { _ in opened.set() }.present(.test("com.example.app:/cb", page: page))
    }
    await expectError(ConnectorError.self, .presentationFailed) {
      _ = try await LoopbackPresenter { _ in opened.set() }.present(.test("http://localhost/", page: page))
    }
    #expect(!opened.isSet)
  }

  @Test("an error of the app's own way is kept below")
  func wrapsErrors() async throws {
    struct Refused: Error {}
    let presenters: [any SignInPresenter] = [
      ExternalBrowserPresenter { _ in throw Refused() }, LoopbackPresenter { _ in throw Refused() },
    ]
    for (presenter, redirect) in zip(presenters, ["com.example.app:/cb", "http://localhost/"]) {
      let error = await #expect(throws: ConnectorError.self) { _ = try await presenter.present(.test(redirect)) }
      #expect(error?.code == .presentationFailed && error?.underlying is Refused)
    }
  }
}
