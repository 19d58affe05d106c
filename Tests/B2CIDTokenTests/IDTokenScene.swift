import B2CCore
import B2CIDToken
import Foundation

/// A sign-in with its id_token and everything that the client knows about it, of which a test changes one thing.
struct IDTokenScene: Sendable {
  static let tenantID = "775527ff-9a37-4307-8b3d-cc311f58d925"
  static let clientID = "90c0fe63-bcf2-44d5-8fb7-b8bbc0b29dc6"
  static let now = 1_800_000_000

  var signer: IDTokenSigner
  var algorithm = "RS256"
  var header: RawObject
  var payload: RawObject
  var expectations: IDTokenExpectations
  /// The entries of the key set.
  var keys: [String]
  /// Changes the finished token.
  var mangle: @Sendable (String) -> String = { $0 }

  /// A sign-in with a policy of Azure AD B2C, with nothing wrong in it.
  init() throws {
    signer = try IDTokenSigner.rsa.get()
    header = RawObject([("alg", "\"RS256\""), ("kid", "\"rsa\""), ("typ", "\"JWT\"")])
    payload = RawObject([
      ("exp", "\(Self.now + 3600)"), ("nbf", "\(Self.now - 300)"), ("ver", "\"1.0\""),
      ("iss", "\"https://contoso.b2clogin.com/\(Self.tenantID)/v2.0/\""),
      ("sub", "\"884408e1-2918-4cz0-b12d-3aa027d7563b\""), ("aud", "\"\(Self.clientID)\""),
      ("nonce", "\"n-0S6_WzA2Mj\""), ("iat", "\(Self.now - 300)"), ("auth_time", "\(Self.now - 300)"),
      ("oid", "\"884408e1-2918-4cz0-b12d-3aa027d7563b\""), ("name", "\"Ada L\\u00f8vel\\u0061ce\""),
      ("emails", "[\"ada@example.com\"]"), ("tfp", "\"B2C_1_SignIn\""),
    ])
    expectations = IDTokenExpectations(
      clientID: Self.clientID, issuer: .exact("https://contoso.b2clogin.com/\(Self.tenantID)/v2.0/"),
      now: Date(timeIntervalSince1970: Double(Self.now)), skew: .seconds(300))
    expectations.nonce = Secret("n-0S6_WzA2Mj")
    expectations.policy = "b2c_1_signin"
    keys = [signer.entry()]
  }

  /// Signs with another key, published as the only one.
  mutating func use(_ signer: IDTokenSigner, _ algorithm: String) {
    self.signer = signer
    self.algorithm = algorithm
    header["alg"] = "\"\(algorithm)\""
    header["kid"] = signer.keyID.map { "\"\($0)\"" }
    keys = [signer.entry()]
  }

  func compact() throws -> String {
    mangle(try signer.token(header: header.text, payload: payload.text, algorithm: algorithm))
  }

  func keySet() throws -> JWKSet {
    try JWKSet(json: Data("{\"keys\":[\(keys.joined(separator: ","))]}".utf8))
  }

  func verify() throws -> [String: JSONValue] { try verify(try compact()) }

  func verify(_ compact: String) throws -> [String: JSONValue] {
    try expectations.verify(IDToken(compact: Secret(compact)), keys: try keySet())
  }
}
