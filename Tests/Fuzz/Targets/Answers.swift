// Fuzzes pure functions of the engine: `TokenResponse`, `ErrorResponse`, `ProviderMetadata`, `DeviceTicket` and `JWKSet`.

import B2CAuthority
import B2CCore
import B2CHTTP
import B2CIDToken
import B2COAuth
import B2CTestKit
import Foundation
import TestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension FuzzTarget {
  /// The responses of a provider: metadata, tokens, errors, keys, device codes.
  ///
  /// The first byte selects which.
  static let answers = FuzzTarget(
    name: "answers", parse: { _ = try? TokenResponse(Data($0.dropFirst()), serverNow: now) }, check: checkAnswers
  )

  /// The secret that was sent.
  ///
  /// An error must not show it, in whatever form the input contains it.
  private static let sent = "0.AQsAbCdEfGh1jKlMn0pQrStUvWxYz.refresh-Token_sent"
  private static let sentSearch = SecretSearch.whole(sent)
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  @Sendable private static func checkAnswers(_ input: [UInt8]) throws {
    let body = input.dropFirst()
    switch (input.first ?? 0) % 5 {
    case 0: try checkMetadata(body)
    case 1: try checkTokens(body)
    case 2: try checkRefusal(body, status: [400, 401, 403, 408, 429, 503][Int(input[0] / 5) % 6])
    case 3:
      let keys = try? JWKSet(json: Data(body))
      try expect(keys.map { $0.keys.count <= JWKSet.maximumCount } ?? true, "more keys than the limit")
    default: try checkDevice(body)
    }
  }

  private static func checkMetadata(_ body: ArraySlice<UInt8>) throws {
    do throws(ConnectorError) {
      let metadata = try ProviderMetadata(json: Data(body), allowsHTTP: false)
      let urls = [
        metadata.authorizationEndpoint, metadata.tokenEndpoint, metadata.endSessionEndpoint, metadata.keysEndpoint,
        metadata.deviceAuthorizationEndpoint, metadata.revocationEndpoint, metadata.userInfoEndpoint,
      ]
      if metadata.issuer.isEmpty || !urls.compactMap(\.self).allSatisfy({ $0.scheme?.lowercased() == "https" }) {
        throw ConnectorError(own: .invalidResponse, "BROKEN: an endpoint that is not https")
      }
    } catch {
      try check(error)
    }
  }

  private static func checkTokens(_ body: ArraySlice<UInt8>) throws {
    do throws(ConnectorError) {
      let tokens = try TokenResponse(Data(body), serverNow: now)
      // An access token of another type is kept as the reason why it cannot be used.
      let isEmpty = tokens.accessToken == nil && tokens.idToken == nil && tokens.unusableAccessToken == nil
      guard (0...31_536_000).contains(tokens.lifetime), !isEmpty, tokens.accessToken?.value.isEmpty != true
      else { throw ConnectorError(own: .invalidResponse, "BROKEN: tokens that cannot be") }
    } catch {
      try check(error)
    }
  }

  private static func checkRefusal(_ body: ArraySlice<UInt8>, status: Int) throws {
    let (body, response) = try LocalResponse(status: status, body: Data(body)).answer(to: URL(filePath: "/"))
    for service in [Authority.Kind.b2c, .openIDConnect] {
      let page = ErrorResponse(page: body, response, at: service, hiding: [Secret(sent)])
      if let page { try check(page, status: status) }
      for place in [ErrorResponse.Place.code, .device, .refresh(addsClaims: false)] {
        let answered = ErrorResponse(body, response, to: place, at: service, hiding: [sent])
        try check(answered, status: status)
      }
    }
  }

  private static func check(_ answered: ErrorResponse, status: Int) throws {
    var shown = ""
    dump(answered, to: &shown)
    try expectHidden(sentSearch, in: shown)
    let texts = [answered.error, answered.description, answered.suberror].compactMap(\.self)
    try expect(
      texts.allSatisfy { $0.count <= 400 && $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } },
      "a text that is long or not printable")
    let error = answered.asError(scopes: ["scope"], policy: try Policy("B2C_1_SignIn"))
    try expect(!error.endsSession || [200, 400, 401, 403].contains(status), "status \(status) ends a session")
    try check(error)
  }

  private static func checkDevice(_ body: ArraySlice<UInt8>) throws {
    guard let url = URL(string: "https://login.contoso.com/devicecode") else { return }
    do throws(ConnectorError) {
      let ticket = try DeviceTicket(Data(body), from: url, now: now)
      if !(Duration.seconds(1)...Duration.seconds(300)).contains(ticket.interval)
        || !Loopback.isAllowed(ticket.authorization.verificationURL)
      {
        throw ConnectorError(own: .invalidResponse, "BROKEN: a device code that cannot be")
      }
    } catch {
      try check(error)
    }
  }

  private static func check(_ error: ConnectorError) throws {
    try expect(!error.message.hasPrefix("BROKEN"), error.message)
    var shown = "\(error) \(error.localizedDescription) \(error.recoverySuggestion ?? "")"
    dump(error, to: &shown)
    try expectHidden(sentSearch, in: shown)
    try expect(
      "\(error)".unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "a control character is shown")
  }
}
