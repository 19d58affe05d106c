internal import B2CCore
package import Foundation

/// A page that is shown, as a test sees it.
package struct ShownPage: Sendable {
  /// The URL that the browser was opened with.
  package let opened: URL
  /// The page's URL, after the one-time local page where there is one.
  package let url: URL

  package init(opened: URL) async {
    self.opened = opened
    url = await Self.location(of: opened) ?? opened
  }

  /// Fetches a local page as a browser does, and returns where it redirects to.
  private static func location(of url: URL) async -> URL? {
    guard url.scheme == "http", let port = url.port.flatMap(UInt16.init(exactly:)), let host = url.host,
      let answer = try? await get(url.path, port: port, host: host)
    else { return nil }
    return answer.field("Location").flatMap { URL(string: $0) }
  }

  /// The redirect URI that the page was given.
  package var redirectURI: URL? { query(of: url)["redirect_uri"].flatMap { URL(string: $0) } }

  /// The port of that redirect URI.
  package var port: UInt16 { UInt16(redirectURI?.port ?? 0) }
}

/// Sends one GET and returns the whole answer.
package func get(_ target: String, port: UInt16, host: String = "127.0.0.1", headers: String = "") async throws
  -> String
{
  let client = try await LoopbackClient(
    port: port, host: host, sending: "GET \(target) HTTP/1.1\r\nHost: localhost:\(port)\r\n\(headers)\r\n")
  return await client.receiveAll()
}

extension String {
  /// The value of a header field of an answer.
  package func field(_ name: String) -> String? {
    components(separatedBy: "\r\n").first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
  }
}
