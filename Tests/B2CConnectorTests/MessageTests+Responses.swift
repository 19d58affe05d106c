import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension MessageTests {
  typealias Fields = [String: JSONValue]

  /// Signs in at a tenant that answers a request so.
  private static func answering(_ target: LocalFaultTarget, _ status: Int, _ body: String = "") -> Call {
    faulty(LocalFault(on: target, .respond(LocalResponse(status: status, body: Data(body.utf8)))))
  }

  private static func faulty(_ fault: LocalFault) -> Call {
    { scene in
      scene.tenant.faults = [fault]
      try await scene.connector { $0.retry = .none }.signIn()
    }
  }

  private static func callback(_ answer: @escaping @Sendable (PresentationRequest) throws -> String) -> Call {
    { try await $0.connector(presenter: CannedPresenter(answer)).signIn() }
  }

  /// Signs in at a tenant that behaves so.
  private static func behaving(_ change: @escaping @Sendable (inout LocalTenant.Behavior) -> Void) -> Call {
    { scene in
      change(&scene.tenant.behavior)
      try await scene.connector().signIn()
    }
  }

  private static func tokens(_ change: @escaping @Sendable (inout Fields) -> Void) -> Call {
    behaving { $0.changeTokenAnswer = change }
  }

  private static func claims(_ change: @escaping @Sendable (inout Fields) -> Void) -> Call {
    behaving { $0.changeIDTokenClaims = change }
  }

  private static func metadata(_ change: @escaping @Sendable (inout Fields) -> Void) -> Call {
    behaving { $0.changeMetadata = change }
  }

  private static func idToken(_ text: String) -> Call { tokens { $0["id_token"] = .string(text) } }

  private static let withoutAccessToken: Call = { scene in
    scene.tenant.behavior.changeTokenAnswer = { $0["access_token"] = nil }
    _ = try await scene.signedIn().accessToken(forceRefresh: true)
  }

  private static func userInfo(_ status: Int, _ body: String = "") -> Call {
    { scene in
      let connector = try await scene.signedIn()
      let answer = LocalResponse(status: status, body: Data(body.utf8))
      scene.tenant.faults = [LocalFault(on: .path("/userinfo"), .respond(answer))]
      _ = try await connector.fetchUserInfo()
    }
  }

  /// Lists the tasks at an API that answers so.
  private static func api(_ status: Int, _ challenge: String? = nil, body: String = "", times: Int = 1) -> Call {
    { scene in
      let connector = try await scene.signedIn(after: 120) { $0.retry = .none }
      let headers = challenge.map { ["WWW-Authenticate": $0] } ?? [:]
      let answer = LocalResponse(status: status, headers: headers, body: Data(body.utf8))
      scene.tasks.faults = [LocalFault(.respond(answer))]
      for _ in 1..<times { _ = try? await connector.getTaskList() }
      _ = try await connector.getTaskList()
    }
  }

  /// Makes a call to an API at which nothing is.
  private static func missing(_ call: @escaping @Sendable (Connector) async throws -> Void) -> Call {
    { scene in
      scene.tasks.faults = [LocalFault(.respond(LocalResponse(status: 404)))]
      try await call(scene.signedIn())
    }
  }

  static let atTheServers: [String: Call] = [
    "no metadata": answering(.metadata, 404), "metadata of a busy server": answering(.metadata, 503),
    "metadata elsewhere": answering(.metadata, 302), "metadata that are a page": answering(.metadata, 200, "<html>"),
    "metadata without keys": answering(.metadata, 200, "{}"),
    "key set that is a page": answering(.keys, 200, "<html>"),
    "callback to another address": callback { _ in "https://evil.example/" },
    "callback with another state": callback { _ in Scene.redirect + "?code=x&state=y" },
    "callback without a code": callback { "\(Scene.redirect)?state=\($0.state.value)" },
    "callback with two codes": callback { "\(Scene.redirect)?code=x&code=y&state=\($0.state.value)" },
    "callback of a cancelled page": { try await $0.connector(presenter: $0.script(.cancel)).signIn() },
    "token response that is not JSON": answering(.token, 200, "x"),
    "token response without tokens": answering(.token, 200, "{}"),
    "token response without an id_token": tokens { $0["id_token"] = nil },
    "access token that is a number": tokens { $0["access_token"] = 1 },
    "access token with a space": tokens { $0["access_token"] = "a b" },
    "token of another type": tokens { $0["token_type"] = "mac" },
    "no access token": withoutAccessToken, "token endpoint that is busy": answering(.token, 503),
    "token endpoint that sends a page": answering(.token, 400, "<html>"),
    "refused client": answering(.token, 400, #"{"error":"invalid_client"}"#),
    "refused scope": answering(.token, 400, #"{"error":"invalid_scope"}"#),
    "refused API": answering(.token, 400, #"{"error":"invalid_target"}"#),
    "refused user": answering(.token, 400, #"{"error":"access_denied"}"#),
    "policy that is gone": { scene in
      let connector = try await scene.signedIn()
      scene.transport.answerTokens(404, "")
      _ = try await connector.accessToken(forceRefresh: true)
    },
    "refresh of another user": { scene in
      let connector = try await scene.signedIn()
      scene.tenant.behavior.changeIDTokenClaims = { $0["oid"] = .string(LocalUser.bob.id) }
      _ = try await connector.accessToken(forceRefresh: true)
    },
    "id_token without a user": claims { ($0["sub"], $0["oid"]) = ("Not supported currently. Use oid claim.", nil) },
    "id_token of another policy": claims { $0["tfp"] = "B2C_1_Other" },
    "id_token without a policy": claims { ($0["tfp"], $0["acr"]) = (nil, nil) },
    "issuer: metadata of another issuer": metadata { $0["issuer"] = "https://evil.example" },
    "issuer: metadata without a token endpoint": metadata { $0["token_endpoint"] = nil },
    "issuer: metadata with a reserved parameter": metadata {
      $0["authorization_endpoint"] = "https://contoso.example/authorize?client_id=x"
    },
    "issuer: no keys": answering(.keys, 200, #"{"keys":[]}"#),
    "issuer: key for encryption": behaving {
      $0.changeKeys = { for index in $0.indices { $0[index]["use"] = "enc" } }
    },
    "issuer: callback without iss": faulty(.callback("iss", nil)),
    "issuer: callback of another issuer": faulty(.callback("iss", "https://evil.example")),
    "issuer: id_token of one part": idToken("x"),
    "issuer: long id_token": idToken(String(repeating: "x", count: 150_000) + ".e30.AA"),
    "issuer: encrypted id_token": idToken("e30.e30.e30.e30.e30"),
    "issuer: header with a key twice": idToken(Base64URL.encode(#"{"alg":"RS256","alg":"RS256"}"#.utf8) + ".e30.AA"),
    "issuer: header with crit": behaving { $0.changeIDTokenHeader { $0["crit"] = ["x"] } },
    "issuer: access token as an id_token": behaving { $0.changeIDTokenHeader { $0["typ"] = "at+jwt" } },
    "issuer: unsigned id_token": behaving { $0.signIDTokens(.unsigned) },
    "issuer: damaged signature": behaving { $0.signIDTokens(.damaged) },
    "issuer: id_token of another issuer": claims { $0["iss"] = "https://evil.example" },
    "issuer: id_token for another client": claims { $0["aud"] = "other" },
    "issuer: id_token for two clients": claims { ($0["azp"], $0["aud"]) = ($0["aud"], [$0["aud"] ?? .null, "other"]) },
    "issuer: id_token that another client got": claims { $0["azp"] = "other" },
    "issuer: id_token without an end": claims { $0["exp"] = nil },
    "issuer: expired id_token": claims { $0["exp"] = 1_000 },
    "issuer: id_token for later": claims { $0["nbf"] = 4_000_000_000 },
    "issuer: id_token from the future": claims { $0["iat"] = 4_000_000_000 },
    "issuer: id_token without a nonce": claims { $0["nonce"] = nil },
    "issuer: id_token of another sign-in": claims { $0["nonce"] = "other" },
    "issuer: id_token without a subject": claims { $0["sub"] = nil },
    "issuer: id_token of another access token": claims { $0["at_hash"] = "x" },
    "issuer: no access token": withoutAccessToken,
    "issuer: address that is not verified": { scene in
      scene.tenant.behavior.changeIDTokenClaims = { $0["email_verified"] = false }
      try await scene.connector(scene.settings { $0.userID = LocalUser.alice.email }).signIn()
    },
    "issuer: userinfo of a busy server": userInfo(503), "issuer: userinfo that is no object": userInfo(200, "[]"),
    "issuer: userinfo of another user": userInfo(200, #"{"sub":"mallory"}"#),
    "issuer: no device codes": { scene in
      scene.tenant.behavior.changeMetadata = { $0["device_authorization_endpoint"] = nil }
      try await scene.connector().signInWithDeviceCode { _ in }
    },
    "issuer: no sign-out page": { scene in
      scene.tenant.behavior.changeMetadata = { $0["end_session_endpoint"] = nil }
      try await scene.connector().signOut(endsBrowserSession: true)
    },
    "issuer: nobody signed in": { _ = try await $0.connector().getTaskList() },
    "issuer: API elsewhere": api(302), "issuer: API refuses the token": api(401, #"Bearer error="invalid_token""#),
    "issuer: API refuses the token once more": api(401, #"Bearer error="invalid_token""#, times: 2),
    "issuer: API wants claims": api(401, #"Bearer error="insufficient_claims", claims="e30=""#),
    "issuer: API wants a scope": api(403, #"Bearer error="insufficient_scope", scope="admin""#),
    "issuer: API answers 403": api(403), "issuer: API answers 404": api(404),
    "issuer: API answers 404 to an update": missing { try await $0.updateTask(TaskItem(itemName: "x", serverID: "1")) },
    "issuer: API answers 404 to a deletion": missing {
      try await $0.deleteTask(TaskItem(itemName: "x", serverID: "1"))
    },
    "issuer: API answers 405": api(405), "issuer: API answers 408": api(408), "issuer: API answers 409": api(409),
    "issuer: API answers 413": api(413), "issuer: API answers 418": api(418), "issuer: API answers 429": api(429),
    "issuer: API answers 500": api(500), "issuer: API sends a page": api(200, body: "<html>"),
    "issuer: API sends no list": api(200, body: "{}"), "issuer: API sends a list of numbers": api(200, body: "[1]"),
    "issuer: API sends a number as an id": api(200, body: #"[{"_id":1,"task":"x"}]"#),
    "issuer: API sends a task without a title": api(200, body: "[{}]"),
  ]
}
