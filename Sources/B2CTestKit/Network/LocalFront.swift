internal import B2CCore
internal import B2CHTTP
package import B2CLoopback
internal import Foundation

/// The loopback HTTP listener of a local server.
///
/// It does not hold the server. When the server is released, this object and its listener are released too, which
/// closes the port.
final class LocalFront: Sendable {
  private let listener = Locked<LoopbackListener?>(nil)

  /// The URL at which the server listens, or `nil` while it is stopped.
  var url: URL? { listener.withLock { $0.map { LocalURL.make(Self.origin($0.port)) } } }

  private static func origin(_ port: UInt16) -> String { "http://127.0.0.1:\(port)" }

  /// Listens for a server if it does not listen yet, until `answer` returns `nil` because the server was released.
  func start(port: UInt16, answer: @escaping @Sendable (URLRequest) async throws -> LocalResponse?) async throws {
    guard url == nil else { return }
    // Requests of this process must not go to a proxy, because a proxy cannot reach a loopback port of this machine.
    Self.exemptThisMachineFromProxies
    // The listener's own limit is made for redirects, which are short, but a task server accepts long titles.
    let limits = LoopbackLimits(bodyBytes: 8 << 20)
    let started = try await LoopbackListener(port: port, limits: limits) { exchange in
      let sent = exchange.request
      guard Self.namesThisMachine(sent) else {
        await exchange.respond(.text("This server answers for names of this machine only.", status: 421))
        return
      }
      guard let target = URL(string: Self.origin(exchange.port) + sent.target) else { return exchange.close() }
      let body = sent.body.isEmpty ? nil : sent.body
      do {
        let request = URLRequest(method: sent.method, url: target, headers: sent.headers, body: body)
        guard let response = try await answer(request) else { return exchange.close() }
        await exchange.respond(LoopbackResponse(response))
      } catch let error as URLError where error.code == .timedOut {
        await exchange.waitForDisconnect()
      } catch {
        exchange.reset()
      }
    }
    listener.withLock { $0 = started }
  }

  /// Stops listening, and returns when the port is free.
  func stop() async { await listener.withLock { $0.take() }?.close() }

  /// Returns whether the `Host` field names this machine, at any port because a port may be forwarded.
  ///
  /// Any other name that resolves to this machine belongs to a page elsewhere (DNS rebinding).
  private static func namesThisMachine(_ request: LoopbackRequest) -> Bool {
    let host = (request.headers["host"] ?? "").lowercased()
    let name = host.dropLast(host.utf8.reversed().prefix { (0x30...0x39).contains($0) }.count)
    return RedirectURIRules.listenerHosts.contains(name.hasSuffix(":") ? String(name.dropLast()) : host)
  }

  /// Adds this machine to `no_proxy` of this process, the first time it is read.
  private static let exemptThisMachineFromProxies: Void = {
    let environment = ProcessInfo.processInfo.environment
    let exempt = ["no_proxy", "NO_PROXY"].compactMap { environment[$0] }.first { !$0.isEmpty }
    _ = setenv("no_proxy", (exempt.map { $0 + "," } ?? "") + "localhost,127.0.0.1,::1", 1)
  }()
}

extension LoopbackResponse {
  /// Converts a response of a local server.
  package init(_ response: LocalResponse) {
    self.init(status: response.status, headers: response.headers, body: response.body)
  }
}
