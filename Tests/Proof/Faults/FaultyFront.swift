import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport

/// A local server's front on loopback HTTP that can be made to misbehave on the wire.
///
/// Requests go to the server as they come; those that an armed fault is for are answered by the fault.
final class FaultyFront: Sendable {
  private struct Armed {
    let fault: WireFault
    let target: LocalFaultTarget
    let other: URL
    /// The number of requests that it still happens to, or `nil` for all.
    var left: Int?
  }

  private struct State {
    var listener: LoopbackListener?
    var armed: Armed?
    var hits = 0
    var secrets: Set<String> = []
  }

  let url: URL
  private let port: UInt16
  private let state = Locked(State())
  private let answer: @Sendable (URLRequest) async throws -> LocalResponse

  /// Listens on a port that the system chooses.
  init(answer: @escaping @Sendable (URLRequest) async throws -> LocalResponse) async throws {
    self.answer = answer
    let listener = try await Self.listener(port: 0, state, answer)
    guard let url = URL(string: "http://127.0.0.1:\(listener.port)") else { throw ProofError("a port is no port") }
    port = listener.port
    self.url = url
    state.withLock { $0.listener = listener }
  }

  /// The number of requests that the armed fault has happened to.
  var hits: Int { state.withLock { $0.hits } }

  /// The codes, verifiers and tokens that came, whatever became of the requests.
  var secrets: Set<String> { state.withLock { $0.secrets } }

  /// Lets a fault happen to requests, from now until ``disarm()``.
  func arm(_ fault: WireFault, on target: LocalFaultTarget, times: Int?, other: URL) async {
    if fault.isRefusal { return await close() }
    state.withLock {
      $0.armed = Armed(fault: fault, target: target, other: other, left: times)
      $0.hits = 0
    }
  }

  /// Behaves again.
  func disarm() async throws {
    state.withLock { $0.armed = nil }
    guard state.withLock({ $0.listener == nil }) else { return }
    let listener = try await Self.listener(port: port, state, answer)
    state.withLock { $0.listener = listener }
  }

  /// Takes no more connections, and ends those that there are.
  func close() async { await state.withLock { $0.listener.take() }?.close() }

  private static func listener(
    port: UInt16, _ state: Locked<State>, _ answer: @escaping @Sendable (URLRequest) async throws -> LocalResponse
  ) async throws -> LoopbackListener {
    try await LoopbackListener(port: port) { exchange in
      guard let request = exchange.message else { return exchange.close() }
      let genuine: @Sendable () async -> LoopbackResponse = {
        (try? await answer(request)).map { LoopbackResponse($0) } ?? LoopbackResponse(status: 500)
      }
      let armed = state.withLock { state -> Armed? in
        state.secrets.formUnion(secrets(in: exchange.request))
        guard let armed = state.armed, armed.target.contains(request), armed.left != 0 else { return nil }
        state.armed?.left = armed.left.map { $0 - 1 }
        state.hits += 1
        return armed
      }
      guard let armed else { return _ = await exchange.respond(await genuine()) }
      await armed.fault.play(WireScene(exchange: exchange, other: armed.other, genuine: genuine))
    }
  }

  private static func secrets(in request: LoopbackRequest) -> [String] {
    let names = ["code", "code_verifier", "refresh_token"]
    let form = FormEncoding.decode(String(decoding: request.body, as: UTF8.self)).filter { names.contains($0.name) }
    let bearer = request.headers["authorization"].flatMap { $0.split(separator: " ").last.map(String.init) }
    return form.map(\.value) + [bearer].compactMap(\.self)
  }
}

/// A server that nobody should talk to: redirects lead here, and everything that comes is kept.
final class OtherOrigin: Sendable {
  let url: URL
  private let listener: LoopbackListener
  private let received = Recorder<String>()

  init() async throws {
    listener = try await LoopbackListener { [received] exchange in
      let request = exchange.request
      let fields = request.headers.map { "\($0.key): \($0.value)" }.joined(separator: "\n")
      let body = String(decoding: request.body, as: UTF8.self)
      received.record("\(request.method) \(request.target)\n\(fields)\n\n\(body)")
      await exchange.respond(LoopbackResponse(status: 200, headers: ["Content-Type": "application/json"]))
    }
    guard let url = URL(string: "http://127.0.0.1:\(listener.port)/elsewhere") else { throw ProofError("no port") }
    self.url = url
  }

  /// The number of requests.
  var requestCount: Int { received.values.count }

  /// Whether one of these texts came in a request, plain or escaped.
  func hasSeen(_ secrets: Set<String>) -> Bool {
    let all = received.values.joined(separator: "\n")
    return secrets.union(secrets.map { FormEncoding.escape($0) }).contains { all.contains($0) }
  }

  func close() async { await listener.close() }
}
