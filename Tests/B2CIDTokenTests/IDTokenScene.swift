import B2CCore
import B2CIDToken
import Foundation
import Testing

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
  /// Changes the finished token, given its parts.
  var mangle: @Sendable ([String]) -> [String] = { $0 }

  /// A sign-in with a policy of Azure AD B2C, with nothing wrong in it.
  init() throws {
    signer = try IDTokenSigner.rsa.get()
    header = RawObject(members: [("alg", json("RS256")), ("kid", json("rsa")), ("typ", json("JWT"))])
    payload = RawObject(members: [
      ("exp", "\(Self.now + 3600)"), ("nbf", "\(Self.now - 300)"), ("ver", json("1.0")),
      ("iss", json("https://contoso.b2clogin.com/\(Self.tenantID)/v2.0/")),
      ("sub", json("884408e1-2918-4cz0-b12d-3aa027d7563b")), ("aud", json(Self.clientID)),
      ("nonce", json("n-0S6_WzA2Mj")), ("iat", "\(Self.now - 300)"), ("auth_time", "\(Self.now - 300)"),
      ("oid", json("884408e1-2918-4cz0-b12d-3aa027d7563b")), ("name", json("Ada L\\u00f8vel\\u0061ce")),
      ("emails", #"["ada@example.com"]"#), ("tfp", json("B2C_1_SignIn")),
    ])
    expectations = IDTokenExpectations(
      clientID: Self.clientID, issuer: .exact("https://contoso.b2clogin.com/\(Self.tenantID)/v2.0/"),
      now: Date(timeIntervalSince1970: Double(Self.now)), skew: .seconds(300))
    expectations.nonce = Secret("n-0S6_WzA2Mj")
    expectations.policy = "b2c_1_signin"
    keys = [signer.entry()]
  }

  /// Signs with another key, published as the only one, by an algorithm that is allowed.
  mutating func use(_ signer: IDTokenSigner, _ algorithm: String) {
    self.signer = signer
    self.algorithm = algorithm
    header["alg"] = json(algorithm)
    header["kid"] = signer.keyID.map(json)
    keys = [signer.entry()]
    expectations.allowedAlgorithms = .openIDConnect
  }

  func compact() throws -> String {
    let token = try signer.token(header: header.text, payload: payload.text, algorithm: algorithm)
    return mangle(token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)).joined(separator: ".")
  }

  func keySet() throws -> JWKSet {
    try JWKSet(json: Data("{\"keys\":[\(keys.joined(separator: ","))]}".utf8))
  }

  func verify() throws -> [String: JSONValue] { try verify(try compact()) }

  func verify(_ compact: String) throws -> [String: JSONValue] {
    try expectations.verify(IDToken(compact: Secret(compact)), keys: try keySet())
  }
}

/// A JSON object as text, so that a test can write fields twice, out of order or in forms no encoder gives.
struct RawObject: Sendable {
  var members: [(name: String, json: String)]
  /// Replaces the whole text.
  var replacement: String?

  /// The JSON text of a field, which `nil` removes.
  subscript(name: String) -> String? {
    get { members.first { $0.name == name }?.json }
    set {
      let index = members.firstIndex { $0.name == name }
      if let index { members.remove(at: index) }
      if let newValue { members.insert((name, newValue), at: index ?? members.count) }
    }
  }

  var text: String {
    replacement ?? "{" + members.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",") + "}"
  }
}

/// A string as JSON, in which nothing is escaped.
func json(_ text: String) -> String { "\"\(text)\"" }

/// A change of a scene, and the rule that must notice it if there is one.
struct IDTokenChange: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// A part of the error's message.
  let fault: String
  let apply: @Sendable (inout IDTokenScene) throws -> Void

  init(
    _ testDescription: String, _ fault: String = "", _ apply: @escaping @Sendable (inout IDTokenScene) throws -> Void
  ) {
    self.testDescription = testDescription
    self.fault = fault
    self.apply = apply
  }

  /// Changes some claims, given by their JSON texts; `nil` removes a claim.
  static func claims(_ testDescription: String, breaking fault: String = "", _ texts: [String: String?])
    -> IDTokenChange
  {
    IDTokenChange(testDescription, fault) { scene in
      for (name, text) in texts { scene.payload[name] = text }
    }
  }

  /// Adds the JSON text of an `at_hash` to a token that came with an access token.
  static func hash(
    _ testDescription: String, breaking fault: String = "", _ hash: String, by signer: IDTokenSigner? = nil,
    of accessToken: String = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxK0z9K3vx5KF-Y0"
  ) -> IDTokenChange {
    IDTokenChange("at_hash \(testDescription)", fault) {
      if let signer { $0.use(signer, "EdDSA") }
      $0.expectations.accessToken = Secret(accessToken)
      $0.payload["at_hash"] = hash
    }
  }
}
