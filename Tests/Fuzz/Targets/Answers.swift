// Fuzzes pure functions of the engine: `TokenResponse`, `ErrorResponse`, `ProviderMetadata`, `DeviceTicket` and `JWKSet`.

import B2CIDToken
import B2COAuth
import B2CTestKit
import Foundation

extension FuzzTarget {
  /// The responses of a provider: metadata, tokens, errors, keys, device codes.
  ///
  /// The first byte selects which.
  static let answers = FuzzTarget(
    name: "answers", parse: { _ = try? TokenResponse(Data($0.dropFirst()), serverNow: now) }, check: checkAnswers
  )

  /// The secret that was sent.
  private static let sent = "0.AQsAbCdEfGh1jKlMn0pQrStUvWxYz.refresh-Token_sent"
  private static let hidden = HiddenSecrets(sent)
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
    guard let metadata = try hidden.value({ try ProviderMetadata(json: body, allowsHTTP: false) }) else { return }
    let urls = [
      metadata.authorizationEndpoint, metadata.tokenEndpoint, metadata.endSessionEndpoint, metadata.keysEndpoint,
      metadata.deviceAuthorizationEndpoint, metadata.revocationEndpoint, metadata.userInfoEndpoint,
    ]
    try expect(
      !metadata.issuer.isEmpty && urls.compactMap(\.self).allSatisfy { $0.scheme?.lowercased() == "https" },
      "no issuer, or an endpoint that is not https")
  }

  private static func checkTokens(_ body: Data) throws {
    guard let tokens = try hidden.value({ try TokenResponse(body, serverNow: now) }) else { return }
    // An access token of another type is kept as the reason why it cannot be used.
    let isEmpty = tokens.accessToken == nil && tokens.idToken == nil && tokens.unusableAccessToken == nil
    try expect(
      (0...31_536_000).contains(tokens.lifetime) && !isEmpty && tokens.accessToken?.value.isEmpty != true,
      "tokens that cannot be")
  }

  private static func checkRefusal(_ body: Data, status: Int) throws {
    let (body, response) = try LocalResponse(status: status, body: body).answer(to: URL(filePath: "/"))
    for service in [Authority.Kind.b2c, .openIDConnect] {
      let page = ErrorResponse(page: body, response, at: service, hiding: [Secret(sent)])
      if let page { try check(page, status: status) }
      for place in [ErrorResponse.Place.code, .device, .refresh(addsClaims: false)] {
        try check(ErrorResponse(body, response, to: place, at: service, hiding: [sent]), status: status)
      }
    }
  }

  private static func check(_ answered: ErrorResponse, status: Int) throws {
    var shown = ""
    dump(answered, to: &shown)
    try hidden.check(shown)
    let texts = [answered.error, answered.description, answered.suberror].compactMap(\.self)
    try expect(texts.allSatisfy { $0.count <= 400 && isPrintable($0) }, "a text that is long or not printable")
    let error = answered.asError(scopes: ["scope"], policy: try Policy("B2C_1_SignIn"))
    try expect(!error.endsSession || [200, 400, 401, 403].contains(status), "status \(status) ends a session")
    try hidden.check(error)
  }

  private static func checkDevice(_ body: Data) throws {
    guard let url = URL(string: "https://login.contoso.com/devicecode"),
      let ticket = try hidden.value({ try DeviceTicket(body, from: url, now: now) })
    else { return }
    let isPossible = (Duration.seconds(1)...Duration.seconds(300)).contains(ticket.interval)
    try expect(isPossible && Loopback.isAllowed(ticket.authorization.verificationURL), "a device code that cannot be")
  }
}
