import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport

extension Row {
  static let signInPage = Row(
    number: "13", title: "sign-in page opens, cold client, 50 ms per request",
    meaning: "how long nothing happens after a tap on “Sign in”"
  ) { context in
    let tenant = try await SlowTenant()
    tenant.setDelay(.milliseconds(50))
    let pairs = try await Pairs.compare(pairs: context.isQuick ? 3 : 21) {
      try await tenant.bareRequest()
    } subject: {
      let transport = URLSessionTransport()
      let page = TimedPage()
      let seconds = try await page.time {
        try await tenant.client(InMemoryTokenCache(), transport: transport, presenter: page).signIn()
      }
      transport.close()
      return seconds
    }
    await tenant.stop()
    return [
      Measurement("page opens", pairs, goal: 1.2),
      Measurement("page opens, time", pairs.subject.median * 1e3, "ms"),
    ]
  }

  static let pageTime = Row(
    number: "14", title: "processor time between doPolicy and the page",
    meaning: "the part of the wait before the page that is not the network's"
  ) { context in
    let documents = try await CannedDocuments()
    let rounds = context.isQuick ? 5 : 301
    var cold: [Double] = []
    var warm: [Double] = []
    for _ in 0..<rounds {
      let page = TimedPage(clock: .processor)
      let connector = try documents.connector(page)
      cold.append(try await page.time { _ = try await connector.doPolicy(.signIn) })
      warm.append(try await page.time { _ = try await connector.doPolicy(.signIn) })
    }
    let (first, next) = (Pairs.Quartiles(cold), Pairs.Quartiles(warm))
    var measurement = Measurement("cold client, metadata read and checked", first.median * 1e3, "ms", goal: 0.5)
    measurement.quartiles = [first.lower * 1e3, first.upper * 1e3]
    return [measurement, Measurement("the next sign-in", next.median * 1e3, "ms")]
  }
}

/// A tenant's documents as they were published once, so that answering costs nothing.
struct CannedDocuments: HTTPTransport {
  private let tenant = LocalTenant()
  private let answers = Locked<[URL: TransportResponse]>([:])

  init() async throws {
    // A whole sign-in brings every document.
    let connector = try connector(ScriptedPresenter(transport: tenant.transport, .signIn(.alice)))
    try await connector.doPolicy(.signIn)
  }

  func connector(_ presenter: any SignInPresenter) throws -> Connector {
    try Connector(
      settings: try tenant.settings(),
      environment: OAuthEnvironment(presenter: presenter, cache: InMemoryTokenCache(), transport: self))
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    if let answer = answers.withLock({ $0[request.url] }) { return answer }
    let answer = try await tenant.transport.send(request)
    if request.method == .get { answers.withLock { $0[request.url] = answer } }
    return answer
  }
}
