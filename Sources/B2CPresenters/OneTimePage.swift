internal import B2CCore
internal import B2CLoopback
internal import Foundation

/// A local page that redirects once to a sign-in or sign-out page.
///
/// Every user of the machine can read the URL on the command line of a browser. With the URL of the real page, another
/// user could finish the sign-in. This URL is useless after its first use, and a second use ends the sign-in, because
/// another program may have read it.
struct OneTimePage: Sendable {
  private let path = Secret("/" + RandomToken.make(bytes: 16).value)
  private let isFetched = Locked(false)

  /// Returns the URL of the page on a listener.
  func url(at listener: LoopbackListener) -> URL {
    let host = (listener.addresses.first ?? .ipv4).urlHost
    return URL(string: "http://\(host):\(listener.port)\(path.value)") ?? URL(fileURLWithPath: path.value)
  }

  /// Answers a request for the page, the first time with a redirect to the target.
  ///
  /// - Parameters:
  ///   - exchange: The request.
  ///   - target: The URL of the real page.
  ///   - onFailure: Receives the error that ends the sign-in if the page is fetched twice.
  /// - Returns: Whether the request was for this page. If not, it has no response yet.
  func answer(_ exchange: LoopbackExchange, target: URL, onFailure: (ConnectorError) -> Void) async -> Bool {
    guard exchange.isGetOfThisMachine, path.isEqualInConstantTime(to: Secret(exchange.request.target)) else {
      return false
    }
    guard isFetched.setOnce() else {
      await exchange.respond(.page("This address was already used. Start again in the app.\n", status: 410))
      onFailure(
        ConnectorError(
          own: .presentationFailed,
          "The local page of this sign-in was opened twice, so another program may have read its address.",
          recoverySuggestion: "Start the sign-in again, and open the page only once."))
      return true
    }
    var response = LoopbackResponse.page("", status: 302)
    response.headers["Location"] = target.absoluteString
    await exchange.respond(response)
    return true
  }
}

extension LoopbackExchange {
  /// Whether this is a GET request whose `Host` names this machine and the listener's port.
  ///
  /// If a page elsewhere uses another name that resolves to this machine (DNS rebinding), its requests are refused.
  var isGetOfThisMachine: Bool {
    let names = RedirectURIRules.listenerHosts
    // Browsers leave out the port 80 of http.
    let hosts = names.map { "\($0):\(port)" } + (port == 80 ? Array(names) : [])
    return request.method == "GET" && hosts.contains((request.headers["host"] ?? "").lowercased())
  }
}
