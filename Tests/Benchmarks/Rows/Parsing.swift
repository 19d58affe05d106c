import B2CConnector
import B2CIDToken
import B2CTestKit
import Foundation
import TestSupport

extension Row {
  static let decoding = Row(
    number: "6", title: "decode 20 / 1,000 / 100,000 tasks with dates and unknown members"
  ) { context in
    let url = try Scene.url("https://tasks.example/tasks")
    var measurements: [Measurement] = []
    for (tasks, label) in [(20, "20"), (1_000, "1,000"), (100_000, "100,000")] {
      let body = TaskLists.json(tasks: tasks)
      let transport = SameAnswer(response: LocalResponse(status: 200, body: body))
      let client = try TaskAPIClient(baseURL: url, transport: transport) { "token-1" }
      let pairs = try await Pairs.compare(context, pairs: tasks > 10_000 ? 7 : 31, by: .processor) { times in
        for _ in 0..<times { _ = try JSONDecoder().decode([TextTask].self, from: body) }
      } subject: { times in
        for _ in 0..<times { _ = try await client.list() }
      }
      measurements.append(Measurement("\(label) tasks against dates left as text", pairs, goal: 2.5))
      measurements.append(Measurement("\(label) tasks, time", pairs.subject.median * 1e6, "µs"))
    }
    return measurements
  }

  static let idToken = Row(number: "9", title: "id_token validation, RS256, key ready, all claims") { context in
    let key = try TestSigningKey()
    let keys = try JWKSet(json: try TestSigningKey.keySet([key]))
    let now = Date()
    let seconds = Int64(now.timeIntervalSince1970)
    let issuer = "https://contoso.b2clogin.com/22222222-2222-4222-8222-222222222222/v2.0/"
    let token = Secret(
      try key.token(claims: [
        "iss": .string(issuer), "sub": .string(Scene.userID(0)), "aud": .string(LocalTenant.standardClientID),
        "exp": .integer(seconds + 3_600), "nbf": .integer(seconds - 10), "iat": .integer(seconds - 10),
        "nonce": .string("n-0S6_WzA2Mj"), "tfp": .string(Scene.policyID), "name": .string("Alice Example"),
        "emails": .array([.string("alice@example.com")]), "ver": .string("1.0"), "auth_time": .integer(seconds - 20),
      ]))
    var expected = IDTokenExpectations(
      clientID: LocalTenant.standardClientID, issuer: .exact(issuer), now: now, skew: .seconds(300))
    expected.nonce = Secret("n-0S6_WzA2Mj")
    expected.policy = Scene.policyID
    let parsed = try IDToken(compact: token)
    let pairs = try await Pairs.compare(context, by: .processor) { count in
      for _ in 0..<count { try parsed.verifySignature(keys: keys, allowed: .microsoft) }
    } subject: { count in
      for _ in 0..<count { _ = try expected.verify(try IDToken(compact: token), keys: keys) }
    }
    return [
      Measurement("validation against hash and RSA alone", pairs, goal: 1.8),
      Measurement("validation, time", pairs.subject.median * 1e6, "µs"),
    ]
  }
}

/// A transport that has the same answer for everything.
private struct SameAnswer: HTTPTransport {
  let response: LocalResponse

  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    try response.answer(to: request.url)
  }
}

/// The floor: Foundation's decoder, with the date left as text and other members skipped.
private struct TextTask: Decodable {
  let _id: String
  let task: String
  let owner: String?
  let completed: Bool
  let date: String
}
