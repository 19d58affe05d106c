import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An API that gives back, in its challenge, the token it was sent.
@Suite(.hangLimit)
struct AuthorizedTransportSecrecyTests {
  private static let token = "eyJhbGciOiJub25lIn0.eyJjYW5hcnkiOiJ5ZXMifQ.Y2FuYXJ5"

  private let tokens: BearerTokens = { refused in
    (Secret(AuthorizedTransportSecrecyTests.token + (refused == nil ? "1" : "2")), nil)
  }

  private func shown(_ value: Any) -> String {
    var dumped = ""
    dump(value, to: &dumped)
    return "\(value)" + String(reflecting: value) + dumped
  }

  @Test(arguments: [
    "Bearer error=\"invalid_token\", error_description=\"the token T is bad\"",
    "Bearer error=\"T\"", "Bearer error=\"x T y\", realm=\"T\"", "Bearer T=\"x\"", "T", "Bearer T",
    "Bearer error=\"insufficient_scope\", scope=\"T\"", "Bearer error=\"insufficient_scope\", scope=\"a T b\"",
    "Bearer claims=\"T\"", "Bearer error=invalid_token, T=T, realm=T",
  ])
  func noTokenIsShown(challenge: String) async throws {
    let url = try #require(URL(string: "https://api.example.com/"))
    let transport = AuthorizedTransport(
      RetryingTransport(transport: Echo(challenge: challenge)), tokens: tokens,
      allowedOrigins: [try #require(Origin(url))])
    let request = URLRequest(url: url)
    let error = await #expect(throws: ConnectorError.self) { try await transport.answer(to: request) }
    let text = shown(error as Any)
    #expect(!text.lowercased().contains(Self.token.lowercased()), "\(text)")
    #expect(!text.contains("eyJjYW5hcnkiOiJ5ZXMifQ"), "\(text)")
    let kept = error.map { [$0.message, $0.claims, $0.oauthError, $0.serverDescription].compactMap(\.self) } ?? []
    #expect(!kept.joined().contains(Self.token))
  }

  @Test(
    "Claims with the token in them are none", arguments: [401, 403], [false, true])
  func claims(status: Int, isUpperCase: Bool) async throws {
    let url = try #require(URL(string: "https://api.example.com/"))
    for token in [Self.token + "1", "opaque-token-of-words"] {
      let json = #"{"access_token":{"x":{"value":"\#(isUpperCase ? token.uppercased() : token)"}}}"#
      for claims in [Data(json.utf8).base64EncodedString(), json.replacingOccurrences(of: "\"", with: "\\\"")] {
        let challenge = "Bearer error=\"insufficient_claims\", claims=\"\(claims)\""
        let answer = LocalResponse(status: status, headers: ["WWW-Authenticate": challenge])
        let transport = AuthorizedTransport(
          RetryingTransport(transport: CannedTransport(answer)), tokens: CannedTokens(token).source,
          allowedOrigins: [try #require(Origin(url))])
        let error = await #expect(throws: ConnectorError.self) {
          try await transport.answer(to: URLRequest(url: url))
        }
        #expect(error?.code == .claimsRequired)
        #expect(error?.claims == nil)
      }
    }
  }

  @Test func whatIsNoSecretStays() async throws {
    let url = try #require(URL(string: "https://api.example.com/"))
    let transport = AuthorizedTransport(
      RetryingTransport(transport: Echo(challenge: "Bearer realm=\"canary\", error=\"invalid_token\"")), tokens: tokens,
      allowedOrigins: [try #require(Origin(url))])
    let error = try await #require(throws: ConnectorError.self) { try await transport.answer(to: URLRequest(url: url)) }
    #expect(error.oauthError == "invalid_token" && error.status == 401)
    #expect(error.localizedDescription == "The API answered 401 (invalid_token) to a new token too.")
    #expect(!shown(error).contains("canary"))
  }

  /// Answers 401 with a challenge in which T stands for the token that was sent.
  private struct Echo: HTTPTransport {
    let challenge: String

    func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
      let token = String((request.value(forHTTPHeaderField: "Authorization") ?? "").dropFirst("Bearer ".count))
      // Whole words only, so that "Bearer" and "invalid_token" stay.
      let text = challenge.replacingOccurrences(of: "\\bT\\b", with: token, options: .regularExpression)
      return try LocalResponse(status: 401, headers: ["WWW-Authenticate": text], body: Data(token.utf8))
        .answer(to: request.url)
    }
  }
}
