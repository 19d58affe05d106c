import B2CConnector
import B2CCore
import B2CTestKit
import Foundation

/// A request that the secrets' proof lets meet faults, and the secret that the answer echoes.
enum SecretsFault: String, CaseIterable, Sendable {
  case refresh
  case code
  case verifier
  /// The redirect with an error, which repeats what binds it to the sign-in.
  case state
  case nonce
  /// Documents that no secret is sent for, from a server that knows the refresh token from another request.
  case metadata
  case keys
  case userinfo
  case device

  /// Which requests the fault happens to; for ``refresh``, each call of the task API as well.
  var target: LocalFaultTarget {
    switch self {
    case .refresh: .tokenRefresh
    case .code, .verifier: .tokenCode
    case .state, .nonce: .authorize
    case .metadata: .metadata
    case .keys: .keys
    case .userinfo: .path("/userinfo")
    case .device: .token(grantType: Self.deviceGrant)
    }
  }

  /// The newest secret of the kind that a tenant was sent.
  func secret(in requests: [RecordedRequest]) -> String? {
    requests.reversed().lazy.compactMap { recorded in
      switch self {
      case .refresh, .metadata, .keys: recorded.form["refresh_token"]
      case .code: recorded.form["code"]
      case .verifier: recorded.form["code_verifier"]
      case .state: recorded.query["state"]
      case .nonce: recorded.query["nonce"]
      case .userinfo: recorded.bearerToken
      case .device: recorded.form["device_code"]
      }
    }.first
  }

  /// The answers to meet: all for a refresh, and each encoding once in the short form of the others.
  func echoes(isQuick: Bool) -> [SecretsEcho] {
    let all = SecretsEcho.all
    guard isQuick, self != .refresh else { return all }
    // Seven encodings and five statuses: a step of eight comes by each encoding, in another status.
    return (0..<7).map { all[$0 * 8 % all.count] }
  }

  /// Whether the tenant is the one that is a plain OpenID Connect provider.
  var isOfIssuer: Bool { self == .userinfo || self == .device }

  private static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
}

/// What a server returns of a secret that it was sent: in some status, in some encoding.
struct SecretsEcho: Sendable {
  let status: Int
  let encode: @Sendable (String) -> String

  /// Every status in every encoding.
  static let all = [400, 401, 429, 500, 200].flatMap { status in
    encodings.map { SecretsEcho(status: status, encode: $0) }
  }

  private static let encodings: [@Sendable (String) -> String] = [
    { $0 }, { $0.uppercased() }, { String($0.prefix(24)) }, { Data($0.utf8).base64EncodedString() },
    { Base64URL.encode(Array("token=\($0)".utf8)) }, { $0.utf8.map { "%" + String($0, radix: 16) }.joined() },
    { $0.utf8.map { String($0, radix: 16) }.joined() },
  ]

  /// An answer with the secret in every place that clients read.
  func answer(_ secret: String) -> TransportResponse {
    let echo = encode(secret)
    let fields = [
      "error": "interaction_required", "error_description": "You sent \(echo).", "message": echo, "issuer": echo,
      "error_uri": "https://example.com/\(echo)",
    ]
    return TransportResponse(
      status: status,
      headers: ["WWW-Authenticate": "Bearer error=\"\(echo)\", error_description=\"\(echo)\"", "Location": echo],
      body: (try? JSONEncoder().encode(fields)) ?? Data())
  }

  /// Changes a redirect back to the app into a refusal that repeats a secret.
  func refuse(_ response: inout TransportResponse, _ secret: String, redirectURI: String) {
    guard let location = response.headers["Location"], location.hasPrefix(redirectURI),
      let state = URLComponents(string: location)?.queryItems?.first(where: { $0.name == "state" })?.value
    else { return }
    let pairs = [
      ("error", "server_error"), ("error_description", "You sent \(encode(secret))."), ("error_uri", encode(secret)),
      ("state", state),
    ]
    response.headers["Location"] = redirectURI + "?" + FormEncoding.encode(pairs.map { (name: $0.0, value: $0.1) })
  }
}
