import B2CCore
import B2CIDToken
import Foundation

/// Wrong claims of a token that is well signed.
extension IDTokenForgery {
  private static let tenant = IDTokenScene.tenantID

  private static func issuer(_ testDescription: String, _ issuer: String) -> IDTokenForgery {
    IDTokenForgery("iss \(testDescription)", " iss") { $0.payload["iss"] = "\"\(issuer)\"" }
  }

  /// A token of one tenant, whose issuer the client knows only as a template.
  private static func templated(_ testDescription: String, _ tenant: String, tid: String?) -> IDTokenForgery {
    IDTokenForgery("iss \(testDescription)", " iss") {
      $0.expectations.issuer = .template("https://login.microsoftonline.com/{tenantid}/v2.0")
      $0.payload["iss"] = "\"https://login.microsoftonline.com/\(tenant)/v2.0\""
      $0.payload["tid"] = tid.map { "\"\($0)\"" }
    }
  }

  private static func hash(
    _ testDescription: String, _ hash: String, of token: String, by signer: IDTokenSigner? = nil
  ) -> IDTokenForgery {
    IDTokenForgery("at_hash \(testDescription)", "its at_hash") {
      if let signer { $0.use(signer, "EdDSA") }
      $0.expectations.allowedAlgorithms = .openIDConnect
      $0.expectations.accessToken = Secret(token)
      $0.payload["at_hash"] = hash
    }
  }

  static let origin: [IDTokenForgery] = [
    IDTokenForgery("iss missing", " iss") { $0.payload["iss"] = nil },
    IDTokenForgery("iss no text", " iss") { $0.payload["iss"] = "[\"https://contoso.b2clogin.com/\"]" },
    issuer("of another host", "https://contoso.b2clogin.com.evil.example/\(tenant)/v2.0/"),
    issuer("of another tenant", "https://contoso.b2clogin.com/00000000-9a37-4307-8b3d-cc311f58d925/v2.0/"),
    issuer("without the slash at its end", "https://contoso.b2clogin.com/\(tenant)/v2.0"),
    issuer("by http", "http://contoso.b2clogin.com/\(tenant)/v2.0/"),
    issuer("in capitals", "HTTPS://contoso.b2clogin.com/\(tenant)/v2.0/"),
    templated("of a tenant that tid does not name", tenant, tid: "9188040d-6c67-4c5b-b112-36a304b66dad"),
    templated("of a template without tid", tenant, tid: nil),
    templated("that is the template itself", "{tenantid}", tid: "{tenantid}"),
    IDTokenForgery("aud missing", " aud") { $0.payload["aud"] = nil },
    IDTokenForgery("aud of another client", " aud") { $0.payload["aud"] = "\"other\"" },
    IDTokenForgery("aud that begins with ours", " aud") { $0.payload["aud"] = "\"\(IDTokenScene.clientID)x\"" },
    IDTokenForgery("aud in capitals", " aud") { $0.payload["aud"] = "\"\(IDTokenScene.clientID.uppercased())\"" },
    IDTokenForgery("aud an empty list", " aud") { $0.payload["aud"] = "[]" },
    IDTokenForgery("aud a list of others", " aud") { $0.payload["aud"] = "[\"a\",\"b\"]" },
    IDTokenForgery("aud a list with a number", " aud") { $0.payload["aud"] = "[\"\(IDTokenScene.clientID)\",1]" },
    IDTokenForgery("several aud without azp", " azp") {
      $0.payload["aud"] = "[\"\(IDTokenScene.clientID)\",\"other\"]"
    },
    IDTokenForgery("several aud with another azp", " azp") {
      $0.payload["aud"] = "[\"\(IDTokenScene.clientID)\",\"other\"]"
      $0.payload["azp"] = "\"other\""
    },
    IDTokenForgery("several aud, ours by azp", "it is also for") {
      $0.payload["aud"] = "[\"\(IDTokenScene.clientID)\",\"other\"]"
      $0.payload["azp"] = "\"\(IDTokenScene.clientID)\""
    },
    IDTokenForgery("one aud with another azp", " azp") { $0.payload["azp"] = "\"other\"" },
    IDTokenForgery("azp no text", " azp") { $0.payload["azp"] = "null" },
    IDTokenForgery("sub missing", "no sub") { $0.payload["sub"] = nil },
    IDTokenForgery("sub empty", "no sub") { $0.payload["sub"] = "\"\"" },
    IDTokenForgery("sub points to an oid that is missing", "refers to oid") {
      $0.payload["sub"] = "\"Not supported currently. Use oid claim.\""
      $0.payload["oid"] = nil
    },
  ]

  static let times: [IDTokenForgery] = [
    IDTokenForgery("exp missing", "its exp") { $0.payload["exp"] = nil },
    IDTokenForgery("exp null", "its exp") { $0.payload["exp"] = "null" },
    IDTokenForgery("exp a boolean", "its exp") { $0.payload["exp"] = "true" },
    IDTokenForgery("exp junk", "its exp") { $0.payload["exp"] = "\"tomorrow\"" },
    IDTokenForgery("exp NaN as a text", "its exp") { $0.payload["exp"] = "\"nan\"" },
    IDTokenForgery("exp infinite as a text", "its exp") { $0.payload["exp"] = "\"1e999\"" },
    IDTokenForgery("exp hexadecimal", "its exp") { $0.payload["exp"] = "\"0x7fffffff\"" },
    IDTokenForgery("exp empty", "its exp") { $0.payload["exp"] = "\"\"" },
    IDTokenForgery("exp in milliseconds", "its exp") { $0.payload["exp"] = "1800003600000" },
    IDTokenForgery("exp beyond all time", "its exp") { $0.payload["exp"] = "1e300" },
    IDTokenForgery("exp before all time", "its exp") { $0.payload["exp"] = "-1" },
    IDTokenForgery("exp past", "it expired") { $0.payload["exp"] = "\(IDTokenScene.now - 300)" },
    IDTokenForgery("exp long past", "it expired") { $0.payload["exp"] = "0" },
    IDTokenForgery("exp past as a text", "it expired") { $0.payload["exp"] = "\"\(IDTokenScene.now - 301)\"" },
    IDTokenForgery("nbf to come", "it becomes valid") { $0.payload["nbf"] = "\(IDTokenScene.now + 301)" },
    IDTokenForgery("nbf junk", "its nbf") { $0.payload["nbf"] = "\"soon\"" },
    IDTokenForgery("iat to come", "it was issued") { $0.payload["iat"] = "\(IDTokenScene.now + 301)" },
    IDTokenForgery("iat missing", "its iat") { $0.payload["iat"] = nil },
    IDTokenForgery("iat junk", "its iat") { $0.payload["iat"] = "{}" },
  ]

  static let request: [IDTokenForgery] = [
    IDTokenForgery("nonce missing", " nonce") { $0.payload["nonce"] = nil },
    IDTokenForgery("nonce of another request", " nonce") { $0.payload["nonce"] = "\"n-0S6_WzA2Mk\"" },
    IDTokenForgery("nonce empty", " nonce") { $0.payload["nonce"] = "\"\"" },
    IDTokenForgery("nonce no text", " nonce") { $0.payload["nonce"] = "[\"n-0S6_WzA2Mj\"]" },
    IDTokenForgery("nonce in other case", " nonce") { $0.payload["nonce"] = "\"N-0S6_WZA2MJ\"" },
    IDTokenForgery("tfp of another policy", " policy") { $0.payload["tfp"] = "\"B2C_1_EditProfile\"" },
    IDTokenForgery("tfp of another policy beside an acr of ours", " policy") {
      $0.payload["tfp"] = "\"B2C_1_EditProfile\""
      $0.payload["acr"] = "\"b2c_1_signin\""
    },
    IDTokenForgery("acr of another policy", " policy") {
      $0.payload["tfp"] = nil
      $0.payload["acr"] = "\"b2c_1_editprofile\""
    },
    IDTokenForgery("no policy", " policy") { $0.payload["tfp"] = nil },
    IDTokenForgery("tfp no text", " policy") { $0.payload["tfp"] = "1" },
    IDTokenForgery("tfp with a letter that only folds to ours", " policy") {
      $0.expectations.policy = "B2C_1_Kiosk"
      $0.payload["tfp"] = "\"B2C_1_\u{212A}iosk\""
    },
    hash("of another token", "\"SL8j94FVdxDzoUOD-fWy2g\"", of: "access"),
    hash("no text", "null", of: "access"),
    hash(
      "of RS256 by SHA-512", "\"lvYPQ_i12mQ1QsgqujDyHLsdJUj2lQie9NmQuKZBSy8\"",
      of: "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxK0z9K3vx5KF-Y0"),
    hash(
      "of Ed25519 by SHA-384", "\"sUnWY0EhD-Etwa6N0tI4X8jJV_UvtN0q\"",
      of: "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxK0z9K3vx5KF-Y0",
      by: .ed25519),
  ]
}
