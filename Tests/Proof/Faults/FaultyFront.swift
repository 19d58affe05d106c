import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport

/// A local server's front on loopback HTTP that can be made to misbehave on the wire.
///
/// Requests go to the server as they come; those that an armed fault is for are answered by the fault.
final class FaultyFront: Sendable {
  private struct State {
    var listener: LoopbackListener?
    /// The fault, its requests, the target of redirects, and how often it still happens or `nil` for every time.
    var armed: (fault: WireFault, target: LocalFaultTarget, other: URL, left: Int?)?
    var hits = 0
    var secrets: Set<String> = []
  }

  let url: URL
  private let port: UInt16
  private let state = Locked(State())
  private let answer: @Sendable (URLRequest) async throws -> LocalResponse

  init(answer: @escaping @Sendable (URLRequest) async throws -> LocalResponse) async throws {
    self.answer = answer
    let listener = try await Self.listener(port: 0, state, answer)
    port = listener.port
    url = try TestSupport.url("http://127.0.0.1:\(port)")
    state.withLock { $0.listener = listener }
  }

  var hits: Int { state.withLock { $0.hits } }

  /// The codes, verifiers and tokens that came, whatever became of the requests.
  var secrets: Set<String> { state.withLock { $0.secrets } }

  /// Lets a fault happen to requests, from now until ``disarm()``.
  func arm(_ fault: WireFault, on target: LocalFaultTarget, times: Int?, other: URL) async {
    if fault.isRefusal { return await close() }
    state.withLock { $0.armed = (fault, target, other, times) }
  }

  func disarm() async throws {
    state.withLock { $0.armed = nil }
    guard state.withLock({ $0.listener == nil }) else { return }
    let listener = try await Self.listener(port: port, state, answer)
    state.withLock { $0.listener = listener }
  }

  func close() async { await state.withLock { $0.listener.take() }?.close() }

  private static func listener(
    port: UInt16, _ state: Locked<State>, _ answer: @escaping @Sendable (URLRequest) async throws -> LocalResponse
  ) async throws -> LoopbackListener {
    try await LoopbackListener(port: port) { exchange in
      guard let request = exchange.message else { return exchange.close() }
      let genuine: @Sendable () async -> LoopbackResponse = {
        (try? await answer(request)).map { LoopbackResponse($0) } ?? LoopbackResponse(status: 500)
      }
      let armed = state.withLock { state -> (fault: WireFault, other: URL)? in
        state.secrets.formUnion(secrets(in: exchange.request))
        guard let armed = state.armed, armed.target.contains(request), armed.left != 0 else { return nil }
        state.armed?.left = armed.left.map { $0 - 1 }
        state.hits += 1
        return (armed.fault, armed.other)
      }
      guard let (fault, other) = armed else { return _ = await exchange.respond(await genuine()) }
      await fault.play(WireScene(exchange: exchange, other: other, genuine: genuine))
    }
  }

  private static func secrets(in request: LoopbackRequest) -> [String] {
    let names = ["code", "code_verifier", "refresh_token"]
    let form = FormEncoding.decode(String(decoding: request.body, as: UTF8.self)).filter { names.contains($0.name) }
    let bearer = request.headers["authorization"].flatMap { $0.split(separator: " ").last.map(String.init) }
    return form.map(\.value) + [bearer].compactMap(\.self)
  }
}
