import B2CConnector
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Tells what happens, one line for each step; with `--verbose` the requests and claims too.
struct Story: Sendable {
  let isVerbose: Bool

  private let terminal = Terminal()
  private let tally = Tally()
  /// Wide enough for `doPolicy(.signUp)`; a longer call moves its own text only.
  private let column = 19

  init(isVerbose: Bool) {
    self.isVerbose = isVerbose
  }

  /// Says what is shown.
  func title(_ text: String, _ details: String...) {
    terminal.line((.bold, text))
    for detail in details { self.detail(detail) }
    terminal.line()
  }

  /// Makes a call and tells in one line what came of it: the text that the body returns.
  func step(_ call: String, _ body: () async throws -> String) async throws {
    if isVerbose { terminal.line((.bold, "  \(call)")) }
    do {
      let text = try await body()
      await tally.addStep()
      end(call, (.good, "✓"), text)
    } catch {
      end(call, (.bad, "✗"), error is CancellationError ? "cancelled" : "failed")
      throw error
    }
  }

  /// Asks the user at the browser for something.
  func ask(_ text: String) { terminal.line((.plain, "  → \(text)")) }

  /// Says more, for those who want to know.
  func detail(_ text: String) {
    if isVerbose { terminal.line((.dim, "      \(text)")) }
  }

  /// Shows all claims except the nonce.
  func claims(_ session: SessionState, _ isShown: Bool) {
    guard case .signedIn(let user) = session, isShown || isVerbose else { return }
    for (name, value) in user.claims.sorted(by: { $0.key < $1.key }) where name != "nonce" {
      terminal.line((.dim, "      \(name): \(Self.text(value, of: name))"))
    }
  }

  /// Notes a request; it describes itself without secrets.
  func request(_ text: String) async {
    await tally.addRequest()
    detail(text)
  }

  /// Sums up and says what to do next.
  func end(next: String) async {
    let seconds = await tally.seconds.formatted(.number.precision(.fractionLength(1)))
    terminal.line()
    terminal.line((.plain, "\(await tally.steps) steps, \(await tally.requests) requests, \(seconds) s."))
    terminal.line((.plain, "Next: "), (.bold, next))
  }

  private func end(_ call: String, _ mark: (Terminal.Style, String), _ text: String) {
    let name = isVerbose ? "" : call.padding(toLength: max(column, call.count + 1), withPad: " ", startingAt: 0)
    terminal.line((.plain, "  "), mark, (.plain, " "), (.bold, name), (.plain, text))
    if isVerbose { terminal.line() }
  }

  private static func text(_ value: JSONValue, of name: String) -> String {
    guard ["iat", "exp", "nbf", "auth_time"].contains(name), let seconds = value.double else {
      return value.string ?? "\(value)"
    }
    return Date(timeIntervalSince1970: seconds).formatted(.iso8601)
  }
}

/// Counts steps and requests.
private actor Tally {
  private(set) var steps = 0
  private(set) var requests = 0
  private let start = ContinuousClock.now

  var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }

  func addStep() { steps += 1 }
  func addRequest() { requests += 1 }
}

/// Tells of each request and its answer.
struct TellingTransport: HTTPTransport {
  private let story: Story
  private let inner = URLSessionTransport()

  init(_ story: Story) {
    self.story = story
  }

  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    do {
      let (body, response) = try await inner.send(request, limits: limits)
      await story.request(
        "\(Self.beginning(of: request)) → \(response.statusCode), \(body.count) bytes; \(Self.whole(request))")
      return (body, response)
    } catch {
      await story.request("\(Self.beginning(of: request)) → \(error); \(Self.whole(request))")
      throw error
    }
  }

  /// The method and the URL without its query, which can have a code in it.
  private static func whole(_ request: URLRequest) -> String {
    "\(request.httpMethod ?? "GET") \(request.url?.absoluteString.prefix { $0 != "?" } ?? "")"
  }

  /// The method and the end of the path, so short that the status has its place on a narrow terminal.
  private static func beginning(of request: URLRequest) -> String {
    let path = request.url?.path ?? ""
    let end = path.split(separator: "/").suffix(2).joined(separator: "/")
    return "\(request.httpMethod ?? "GET") \(path.count > 36 ? "…/" + end : path)"
  }
}
