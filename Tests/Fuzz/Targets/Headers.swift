import B2CTestKit
import Foundation

extension FuzzTarget {
  /// Header fields of answers: `WWW-Authenticate`, `Retry-After`, dates.
  static let headers = FuzzTarget(
    name: "headers", parse: { _ = AuthenticationChallenge.parse(String(decoding: $0, as: UTF8.self)) },
    check: checkHeaders)

  private static let sent = "0.AbCdEfGh1jKlMn0pQrStUvWxYz-sent_token.QrStUv"
  private static let hidden = HiddenSecrets(sent)

  @Sendable private static func checkHeaders(_ input: [UInt8]) throws {
    let text = String(decoding: input, as: UTF8.self)
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    if let seconds = RetryAfter.seconds(in: try response(["Retry-After": text, "Date": date])) {
      try expect(seconds.isFinite && seconds >= 0, "Retry-After of \(seconds)")
    }
    if let date = Dates.headerField(text) {
      try expect(abs(date.timeIntervalSince1970) < 1e12, "a date of \(date)")
    }
    let found = AuthenticationChallenge.parse(text)
    // As written by RFC 9110: every value in quotes. Only ASCII has one form in lower case.
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      let again = AuthenticationChallenge.parse(found.map(written).joined(separator: ", "))
      try expect(again == found, "\(found) is read again as \(again)")
    }
    let secret = Secret(sent)
    let answer = (body: Data(), head: try response(["WWW-Authenticate": text]))
    let request = URLRequest(url: URL(filePath: "/"))
    for isReplacement in [true, false] {
      guard
        let error = ConnectorError(refusal: answer, of: request, isReplacement: isReplacement, hiding: [secret])
      else { continue }
      try hidden.check(printed(error) + error.message)
      try hidden.check([error.oauthError, error.claims].compactMap(\.self).joined(separator: "\n"))
    }
  }

  private static func response(_ headers: [String: String]) throws -> HTTPURLResponse {
    try LocalResponse(status: 401, headers: headers).answer(to: URL(filePath: "/")).1
  }

  private static func written(_ challenge: [String: String]) -> String {
    func quoted(_ text: String) -> String {
      "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
    let parameters = challenge.map { $0.key + "=" + quoted($0.value) }
    return "Bearer " + parameters.joined(separator: ", ")
  }
}
