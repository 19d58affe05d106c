import B2CCore
import B2CHTTP
import B2COAuth
import Foundation

/// A page that is shown, as a test sees it.
struct ShownPage: Sendable {
  let url: URL

  /// The redirect URI that the page was given.
  var redirectURI: URL? {
    URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedQuery.flatMap { query in
      FormEncoding.decode(query).first { $0.name == "redirect_uri" }.flatMap { URL(string: $0.value) }
    }
  }

  /// The port of that redirect URI.
  var port: UInt16 { UInt16(redirectURI?.port ?? 0) }
}

/// A browser that opens nothing and tells what it should have opened.
struct PageWatcher: Sendable {
  private let stream: AsyncStream<URL>
  private let continuation: AsyncStream<URL>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  var opening: BrowserOpening {
    BrowserOpening { [continuation] in continuation.yield($0) }
  }

  /// Waits for the next page.
  func next() async -> ShownPage {
    for await url in stream { return ShownPage(url: url) }
    return ShownPage(url: URL(fileURLWithPath: "/none"))
  }
}

extension PresentationRequest {
  static let testState = "st4te-of-this-flow"

  /// A request whose page's URL tells the redirect URI.
  static func test(
    _ redirectURI: String, purpose: Purpose = .signIn, ephemeral: Bool = false
  ) -> PresentationRequest {
    PresentationRequest(
      purpose: purpose, redirectURI: URL(string: redirectURI) ?? URL(fileURLWithPath: "/"), state: Secret(testState),
      prefersEphemeralSession: ephemeral
    ) { redirect in
      let query = FormEncoding.encode([("redirect_uri", redirect.absoluteString)])
      return URL(string: "https://login.example/authorize?" + query) ?? redirect
    }
  }
}

/// Sends one GET and gives the whole answer.
func get(_ target: String, port: UInt16, headers: String = "") async throws -> String {
  let client = try await LoopbackClient(port: port)
  await client.send("GET \(target) HTTP/1.1\r\nHost: localhost:\(port)\r\nConnection: close\r\n\(headers)\r\n")
  return await client.receiveAll()
}
