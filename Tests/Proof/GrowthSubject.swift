import B2CConnector
import B2CCore
import B2CHTTP
import B2CIDToken
import B2CLoopback
import B2CTokenCache
import Foundation
import TestSupport

/// One parser and one shape of input.
struct GrowthSubject: Sendable {
  let parser: String
  let input: String
  /// Eight times as much must be below the parser's own limit, if it has one.
  var smallSize = 16 << 10
  /// How many times as long eight times as much may take: quadratic is 64, and a busy machine and its caches take their part.
  var bound = 24.0
  /// Makes an input of about so many bytes, and returns what parses it.
  let prepare: @Sendable (Int) -> @Sendable () async throws -> Void

  /// Every parser of data that comes from outside.
  static func all(isBroken: Bool) async throws -> [GrowthSubject] {
    if isBroken { return [quadratic] }
    return challenges + values + documents + tokens + settings + (try answers()) + (try callbacks())
      + (try await heads())
  }

  /// Two combining marks in the wrong order: Swift sorts a run of them to compare or hash a string.
  private static let marks = "\u{301}\u{316}"

  /// What a program with a mistake looks like.
  private static var quadratic: GrowthSubject {
    var subject = text("a quadratic parser", "a") { text in
      let bytes = Array(text.utf8)
      _ = bytes.indices.reduce(0) { sum, index in sum &+ (index % 64 == 0 ? bytes[index...].count { $0 == 0x62 } : 0) }
    }
    // Sixteen times as quick.
    subject.smallSize = 4 << 10
    return subject
  }

  private static var challenges: [GrowthSubject] {
    let pieces = [
      "a=b ", "a=b,", "a=b c ", "Bearer ", "Bearer ,", "a=\"\\\"", "a=\"b\" ", " ", ",", "=", "a", "a =", "\"", "é=",
    ]
    let parse: @Sendable (String) -> Void = { text in
      _ = AuthenticationChallenge.bearer(in: TransportRequest.Headers([(name: "WWW-Authenticate", value: text)]))
    }
    return pieces.map { text("WWW-Authenticate", $0, parse) }
      + ["", "Bearer error=", "Bearer claims=", "Bearer a"].map { head in
        text("WWW-Authenticate", head, then: marks, end: "=b", parse)
      }
  }

  private static var values: [GrowthSubject] {
    let secret = Secret("eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2ln")
    return [
      text("Retry-After", "1") { _ = RetryAfter.seconds(in: ["Retry-After": $0], now: Date()) },
      text("date of a header field", "Sun ") { _ = HTTPDate.parse($0) },
      text("date of a header field", "Sun, 06 Nov 1994 08:49:37 GMT") { _ = HTTPDate.parse($0) },
      text("excerpt of a body", "Bearer eyJ") { _ = PrintableText(hiding: [secret]).show(Array($0.utf8)) },
      text("form", "a=b&") { _ = FormEncoding.decode($0) },
      text("form", "%41") { _ = FormEncoding.decode($0) },
      text("form", "%CC%81%CC%96") { _ = FormEncoding.decode($0) },
      text("base64url", "QUJD") { _ = Base64URL.decode($0) },
      text("authority", "https://", then: "a/") { _ = try? Authority($0) },
      text("authority", "https://", then: "a.") { _ = try? Authority($0) },
      text("policy", "B2C_1_") { _ = try? Policy($0) },
      text("origin", "https://", then: "a.") { _ = URL(string: $0).flatMap(Origin.init) },
    ]
  }

  /// Metadata, keys, tokens, claims and error answers all go through this reader.
  private static var documents: [GrowthSubject] {
    let parse: @Sendable (String) -> Void = { _ = try? JSONReader.value(Array($0.utf8)) }
    let pieces = [
      ("[", "1,"), ("[", "{\"a\":[{}]},"), ("[", " "), ("[", "\"\","), ("[\"", "a"), ("[\"", "\\u0041"), ("[\"", "\\n"),
      ("[", "["), ("[\"", marks), ("{\"", marks), ("[\"", String(repeating: marks, count: 15) + "a"),
    ]
    let members = GrowthSubject(parser: "JSON", input: "{\"k1\":1,\"k2\":1,…") { size in
      let text = "{" + (0..<size / 10).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
      return { parse(text) }
    }
    return [members] + pieces.map { text("JSON", $0.0, then: $0.1, parse) }
  }

  /// id_tokens and key sets: the JSON reader below Base64.
  private static var tokens: [GrowthSubject] {
    let claims = ["\"a\":1,", "\"" + marks, "\"\":[{"].map { piece in
      GrowthSubject(parser: "id_token", input: named(piece), smallSize: 1 << 10) { size in
        let claims = "{" + String(repeating: piece, count: size / piece.utf8.count)
        let header = Base64URL.encode(Array(#"{"alg":"RS256","kid":"k"}"#.utf8))
        let token = Secret("\(header).\(Base64URL.encode(Array(claims.utf8))).c2ln")
        return { _ = try? IDToken(compact: token) }
      }
    }
    let keys = ["{\"kty\":\"RSA\",\"n\":\"AQ\",\"e\":\"AQAB\"},", "{\"kid\":\"" + marks].map { piece in
      text("key set", "{\"keys\":[", then: piece) { _ = try? JWKSet(json: Data($0.utf8)) }
    }
    return claims + [text("id_token", ".") { _ = try? IDToken(compact: Secret($0)) }] + keys + records
  }

  /// A cache file is the user's own, but what is in it came from a server.
  private static var records: [GrowthSubject] {
    let parse: @Sendable (String) -> Void = { _ = try? JSONDecoder().decode(TokenRecord.self, from: Data($0.utf8)) }
    let members = GrowthSubject(parser: "token record", input: "{\"claims\":{\"k1\":1,\"k2\":1,…") { size in
      let claims = (0..<size / 10).map { "\"k\($0)\":1" }.joined(separator: ",")
      return { parse("{\"v\":1,\"signedIn\":1,\"claims\":{\(claims)}}") }
    }
    let head = "{\"v\":1,\"signedIn\":1,\"claims\":{\"a\":\""
    return [members, text("token record", head, then: marks, end: "\"}}", parse)]
  }

  /// Callbacks as a user pastes them, or another program sends them.
  private static func callbacks() throws -> [GrowthSubject] {
    guard let page = URL(string: "https://login.example/a"), let redirectURI = URL(string: "app://callback") else {
      throw ProofError("no URL")
    }
    let request = PresentationRequest(purpose: .signIn, redirectURI: redirectURI, state: Secret("state")) { _ in page }
    // A name of marks that is compared or hashed as a string takes 15 times and more, since the sort is a part of the work.
    let bound = 12.0
    let escapedMarks = "%CC%81%CC%96"
    let received = ["app://callback?", "app://callback?state=a&", "app://callback#"].map { start in
      GrowthSubject(
        parser: "callback of a sign-in", input: start + escapedMarks, smallSize: 7 << 10, bound: bound
      ) { size in
        let url = URL(string: start + String(repeating: escapedMarks, count: size / escapedMarks.utf8.count))
        return {
          let client = try OAuthClient(
            configuration: OAuthConfiguration(
              authority: Authority("https://login.example", kind: .openIDConnect), clientID: "client",
              redirectURI: redirectURI),
            environment: OAuthEnvironment(
              presenter: Returning(url: url), cache: InMemoryTokenCache(),
              transport: CannedAnswer(response: TransportResponse(status: 200, body: Data(metadata.utf8)))))
          do {
            try await client.signIn()
          } catch let error as OAuthError where error.code == .stateMismatch {
            // Read to its end.
          }
        }
      }
    }
    let pasted = [
      ("", "a=b&"), ("", marks), ("?", escapedMarks), ("app://callback?", escapedMarks),
      ("app://callback?code=a&", escapedMarks), ("", " "),
    ].map { start, piece in
      GrowthSubject(parser: "pasted callback", input: named(start + piece), smallSize: 7 << 10, bound: bound) { size in
        let line = start + String(repeating: piece, count: size / piece.utf8.count)
        return {
          let presenter = ManualPresenter(write: { _ in }, readLine: { line })
          _ = try? await presenter.present(request)
        }
      }
    }
    return pasted + received
  }

  private static let metadata = """
    {"issuer":"https://login.example","authorization_endpoint":"https://login.example/authorize",
    "token_endpoint":"https://login.example/token","jwks_uri":"https://login.example/keys"}
    """

  /// Requests to the listener for redirects, with room for more than it takes.
  private static func heads() async throws -> [GrowthSubject] {
    let listener = try await LoopbackListener(limits: LoopbackLimits(headBytes: 1 << 20)) { (_: LoopbackRequest) in
      .text("")
    }
    return [("", "a: b\r\n"), ("", "a:\(marks)\r\n"), ("a:", marks), ("a:", " "), ("", "a"), ("", "Host: a\r\n")].map {
      start, piece in
      GrowthSubject(parser: "request to the listener", input: named(start + piece)) { size in
        let fields = start + String(repeating: piece, count: size / piece.utf8.count)
        let request = "GET / HTTP/1.1\r\nHost: localhost\r\n\(fields)\(fields.hasSuffix("\n") ? "" : "\r\n")\r\n"
        return {
          let client = try await LoopbackClient(port: listener.port)
          await client.send(request)
          _ = await client.receiveAll()
        }
      }
    }
  }

  private static func answers() throws -> [GrowthSubject] {
    guard let url = URL(string: "https://api.example.com/tasks") else { throw ProofError("no URL") }
    return ["{\"task\":\"a\"},", "[", "{\"a\":", "1,", "\"\\u0041\",", " "].map { piece in
      GrowthSubject(parser: "task list", input: piece) { size in
        var body = Data("[".utf8)
        while body.count < size { body.append(contentsOf: piece.utf8) }
        if piece.hasSuffix(",") { body.append(contentsOf: "{}]".utf8) }
        let transport = CannedAnswer(response: TransportResponse(status: 200, body: body))
        return {
          let client = try TaskAPIClient(
            configuration: TaskAPIConfiguration(baseURL: url), transport: transport, tokens: CannedAnswer.Token())
          _ = try? await client.list()
        }
      }
    }
  }

  private static var settings: [GrowthSubject] {
    let head = "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>"
    let inside = head + "<key>userId</key><string>"
    let plists = [
      (head, "<key>a</key><string>b</string>"), (head, "<key>a</key><date>b</date>"), (head, "<array>"),
      (head, "<key>a</key><array><string>"), (head, "<!-- -->"), (head, "&amp;"), (head, "<key>"), (head, "<"),
      (head, " "), (inside, "a"), (inside, "&amp;"), (inside, "&a;"), (inside, "<b"), (inside, "<!-- -->"),
      (inside, "<![CDATA[a]]>"), (inside, "\u{301}\u{316}"), (inside, "</string><key>a</key><string>\u{301}\u{316}"),
    ]
    return plists.map { head, piece in
      text("settings, property list", head, then: piece) { _ = try? ConnectorSettings(data: Data($0.utf8)) }
    }.map { subject in
      var subject = subject
      subject.smallSize = 6 << 10
      return subject
    }
  }

  /// A parser of text, fed with one piece again and again.
  private static func text(
    _ parser: String, _ head: String = "", then piece: String, end: String = "",
    _ parse: @escaping @Sendable (String) throws -> Void
  ) -> GrowthSubject {
    GrowthSubject(parser: parser, input: named((head.count > 16 ? "… " : head) + piece)) { size in
      let text = head + String(repeating: piece, count: size / piece.utf8.count) + end
      return { try parse(text) }
    }
  }

  /// An input as the table shows it.
  private static func named(_ input: String) -> String {
    input.replacingOccurrences(of: String(repeating: marks, count: 15), with: "30 marks ", options: .literal)
      .replacingOccurrences(of: marks, with: "◌́◌̖", options: .literal)
      .replacingOccurrences(of: "\r\n", with: "↵")
  }

  private static func text(
    _ parser: String, _ piece: String, _ parse: @escaping @Sendable (String) throws -> Void
  ) -> GrowthSubject {
    text(parser, "", then: piece, parse)
  }
}

/// A presenter that returns one callback.
private struct Returning: SignInPresenter {
  let url: URL?

  func present(_ request: PresentationRequest) async throws -> URL {
    guard let url else { throw ProofError("no URL") }
    return url
  }
}

/// A transport that always has the same answer.
private struct CannedAnswer: HTTPTransport {
  struct Token: AccessTokenProvider {
    func accessToken(replacing refused: BearerToken?) async throws -> BearerToken { BearerToken(Secret("token")) }
  }

  let response: TransportResponse

  func send(_ request: TransportRequest) async throws -> TransportResponse { response }
}
