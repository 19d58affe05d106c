// Fuzzes pure functions of the engine and of the task client, and the whole task client.

import B2CIDToken
import B2COAuth
import B2CTestKit
import Foundation
import TestSupport

extension FuzzTarget {
  /// The responses of a provider: metadata, tokens, errors, keys, device codes.
  ///
  /// The first byte selects which.
  static let answers = FuzzTarget(
    name: "answers", parse: { _ = try? TokenResponse(Data($0.dropFirst()), serverNow: now) }, check: checkAnswers
  )

  /// The secret that was sent.
  private static let sentRefresh = "0.AQsAbCdEfGh1jKlMn0pQrStUvWxYz.refresh-Token_sent"
  private static let hiddenRefresh = HiddenSecrets(sentRefresh)
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  @Sendable private static func checkAnswers(_ input: [UInt8]) throws {
    let body = Data(input.dropFirst())
    switch (input.first ?? 0) % 5 {
    case 0: try checkMetadata(body)
    case 1: try checkTokens(body)
    case 2: try checkRefusal(body, status: [400, 401, 403, 408, 429, 503][Int(input[0] / 5) % 6])
    case 3:
      let keys = try? JWKSet(json: body)
      try expect(keys.map { $0.keys.count <= JWKSet.maximumCount } ?? true, "more keys than the limit")
    default: try checkDevice(body)
    }
  }

  private static func checkMetadata(_ body: Data) throws {
    guard let metadata = try hiddenRefresh.value({ try ProviderMetadata(json: body, allowsHTTP: false) }) else {
      return
    }
    let urls = [
      metadata.authorizationEndpoint, metadata.tokenEndpoint, metadata.endSessionEndpoint, metadata.keysEndpoint,
      metadata.deviceAuthorizationEndpoint, metadata.revocationEndpoint, metadata.userInfoEndpoint,
    ]
    try expect(
      !metadata.issuer.isEmpty && urls.compactMap(\.self).allSatisfy { $0.scheme?.lowercased() == "https" },
      "no issuer, or an endpoint that is not https")
  }

  private static func checkTokens(_ body: Data) throws {
    guard let tokens = try hiddenRefresh.value({ try TokenResponse(body, serverNow: now) }) else { return }
    // An access token of another type is kept as the reason why it cannot be used.
    let isEmpty = tokens.accessToken == nil && tokens.idToken == nil && tokens.unusableAccessToken == nil
    try expect(
      (0...31_536_000).contains(tokens.lifetime) && !isEmpty && tokens.accessToken?.value.isEmpty != true,
      "tokens that cannot be")
  }

  private static func checkRefusal(_ body: Data, status: Int) throws {
    let (body, response) = try LocalResponse(status: status, body: body).answer(to: URL(filePath: "/"))
    for service in [Authority.Kind.b2c, .openIDConnect] {
      let page = ErrorResponse(page: body, response, at: service, hiding: [Secret(sentRefresh)])
      if let page { try check(page, status: status) }
      for place in [ErrorResponse.Place.code, .device, .refresh(addsClaims: false)] {
        try check(ErrorResponse(body, response, to: place, at: service, hiding: [sentRefresh]), status: status)
      }
    }
  }

  private static func check(_ answered: ErrorResponse, status: Int) throws {
    var shown = ""
    dump(answered, to: &shown)
    try hiddenRefresh.check(shown)
    let texts = [answered.error, answered.description, answered.suberror].compactMap(\.self)
    try expect(texts.allSatisfy { $0.count <= 400 && isPrintable($0) }, "a text that is long or not printable")
    let error = answered.asError(scopes: ["scope"], policy: try Policy("B2C_1_SignIn"))
    try expect(!error.endsSession || [200, 400, 401, 403].contains(status), "status \(status) ends a session")
    try hiddenRefresh.check(error)
  }

  private static func checkDevice(_ body: Data) throws {
    guard let url = URL(string: "https://login.contoso.com/devicecode"),
      let ticket = try hiddenRefresh.value({ try DeviceTicket(body, from: url, now: now) })
    else { return }
    let isPossible = (Duration.seconds(1)...Duration.seconds(300)).contains(ticket.interval)
    try expect(isPossible && Loopback.isAllowed(ticket.authorization.verificationURL), "a device code that cannot be")
  }

  /// Header fields of answers: `WWW-Authenticate`, `Retry-After`, dates.
  static let headers = FuzzTarget(
    name: "headers", parse: { _ = AuthenticationChallenge.parse(String(decoding: $0, as: UTF8.self)) },
    check: checkHeaders)

  private static let sentToken = "0.AbCdEfGh1jKlMn0pQrStUvWxYz-sent_token.QrStUv"
  private static let hidden = HiddenSecrets(sentToken)

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
    let secret = Secret(sentToken)
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

  /// Answers of task servers, in both dialects.
  static let tasks = FuzzTarget(name: "tasks", parse: { _ = tasks(in: $0, .tutorial) }, check: checkTasks)

  private static func tasks(in bytes: [UInt8], _ dialect: TaskDialect) -> [TaskItem]? {
    (try? JSONReader.value(bytes)).flatMap { try? TaskItem.list($0, in: dialect) }
  }

  @Sendable private static func checkTasks(_ input: [UInt8]) throws {
    for dialect in [TaskDialect.tutorial, .repository, .rest] {
      for task in tasks(in: input, dialect) ?? [] { try check(task, dialect) }
    }
    try checkErrors(input)
    if let date = Dates.internet(String(decoding: input, as: UTF8.self)) { try check(date) }
  }

  private static func check(_ task: TaskItem, _ dialect: TaskDialect) throws {
    if let date = task.creationDate { try check(date) }
    // A task that is sent back is read as the same task, with its date to the millisecond.
    let again: TaskItem
    do {
      again = try TaskItem(task.document(in: dialect), in: dialect)
    } catch {
      throw Failure("a task that was read cannot be read again: \(error)")
    }
    try expect(
      again.serverID == task.serverID && again.itemName == task.itemName && again.completed == task.completed
        && again.ownerName == task.ownerName && again.unknownFields == task.unknownFields,
      "\(task) is read again as \(again)")
    guard case .object(let draft) = task.draft(in: dialect) else { throw Failure("a draft that is not an object") }
    try expect(draft["_id"] == nil && draft["owner"] == nil && draft["date"] == nil, "a draft sets the server's fields")
  }

  private static func check(_ date: Date) throws {
    let text = Dates.internet(date)
    guard let again = Dates.internet(text) else { throw Failure("\(text) cannot be read again") }
    try expect(Dates.internet(again) == text, "\(text) is written again as \(Dates.internet(again))")
    let seconds = date.timeIntervalSince1970
    if (-62_167_219_200...253_402_300_799).contains(seconds) {
      try expect(abs(again.timeIntervalSince(date)) < 0.002, "\(date) is read again as \(again)")
    }
  }

  /// The whole client, with the input as the body of a refusal.
  private static func checkErrors(_ input: [UInt8]) throws {
    guard let url = URL(string: "https://api.example.com/tasks") else { return }
    let transport = CannedTransport(LocalResponse(status: 422, body: Data(input)))
    let client = try TaskAPIClient(baseURL: url, transport: transport) { sentToken }
    let error = waiting { () -> (any Error)? in
      do {
        _ = try await client.list()
        return nil
      } catch {
        return error
      }
    }
    guard let failure = error as? ConnectorError else { throw Failure("a refusal that is not a ConnectorError") }
    try hidden.check(failure)
    try expect(failure.description.count < 1_200, "a description of \(failure.description.count) characters")
  }
}
