import B2CConnector
import B2CCore
import B2CHTTP
import Foundation

/// One parser and one shape of input.
struct GrowthSubject: Sendable {
  let parser: String
  let input: String
  /// Eight times as much must be below the parser's own limit, if it has one.
  var smallSize = 16 << 10
  /// Makes an input of about so many bytes, and returns what parses it.
  let prepare: @Sendable (Int) -> @Sendable () async throws -> Void

  /// Every parser of data that comes from outside.
  static func all(isBroken: Bool) throws -> [GrowthSubject] {
    if isBroken { return [quadratic] }
    return challenges + values + documents + settings + (try answers())
  }

  /// What a program with a mistake looks like.
  private static var quadratic: GrowthSubject {
    text("a quadratic parser", "a") { text in
      let bytes = Array(text.utf8)
      _ = bytes.indices.reduce(0) { sum, index in sum &+ (index % 64 == 0 ? bytes[index...].count { $0 == 0x62 } : 0) }
    }
  }

  private static var challenges: [GrowthSubject] {
    ["a=b ", "a=b,", "a=b c ", "Bearer ", "Bearer ,", "a=\"\\\"", "a=\"b\" ", " ", ",", "=", "a", "a =", "\"", "é="].map
    {
      text("WWW-Authenticate", $0) { text in
        _ = AuthenticationChallenge.bearer(in: TransportRequest.Headers([.init(name: "WWW-Authenticate", value: text)]))
      }
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
      ("[", "["),
    ]
    let members = GrowthSubject(parser: "JSON", input: "{\"k1\":1,\"k2\":1,…") { size in
      let text = "{" + (0..<size / 10).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
      return { parse(text) }
    }
    return [members] + pieces.map { text("JSON", $0.0, then: $0.1, parse) }
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
    let plists = ["<key>a</key><string>b</string>", "<array>", "<!-- -->", "&amp;", "<key>", "<", " "].map {
      text("settings, property list", head, then: $0) { _ = try? ConnectorSettings(data: Data($0.utf8)) }
    }
    let all =
      plists
      + ["{\"a\":", "\"a\":1,", "[", "\"", "\\u0041"].map {
        text("settings, JSON", "{", then: $0) { _ = try? ConnectorSettings(data: Data($0.utf8)) }
      }
    return all.map { subject in
      var subject = subject
      subject.smallSize = 6 << 10
      return subject
    }
  }

  /// A parser of text, fed with one piece again and again.
  private static func text(
    _ parser: String, _ head: String = "", then piece: String, _ parse: @escaping @Sendable (String) throws -> Void
  ) -> GrowthSubject {
    GrowthSubject(parser: parser, input: head.count > 10 ? "… \(piece)" : head + piece) { size in
      let text = head + String(repeating: piece, count: size / piece.utf8.count)
      return { try parse(text) }
    }
  }

  private static func text(
    _ parser: String, _ piece: String, _ parse: @escaping @Sendable (String) throws -> Void
  ) -> GrowthSubject {
    text(parser, "", then: piece, parse)
  }
}

/// A transport that always has the same answer.
private struct CannedAnswer: HTTPTransport {
  struct Token: AccessTokenProvider {
    func accessToken(replacing refused: Secret?) async throws -> Secret { Secret("token") }
  }

  let response: TransportResponse

  func send(_ request: TransportRequest) async throws -> TransportResponse { response }
}
