import B2CAuthority
import Foundation
import Testing

/// One authority as a developer writes it, the policy that is given with it, and all the URLs that follow.
struct EndpointRow: Sendable, CustomTestStringConvertible {
  let name: String
  let text: String
  let kind: Authority.Kind?
  let policy: String?
  /// The URLs of metadata, authorization, token, end of session and device authorization.
  ///
  /// A `-` stands for a URL that only the metadata contains.
  let urls: String

  init(
    _ name: String, _ text: String, kind: Authority.Kind? = nil, policy: String? = nil, at base: String,
    query: String = "", hasDeviceCodes: Bool = false, hasMetadataOnly: Bool = false
  ) {
    (self.name, self.text, self.kind, self.policy) = (name, text, kind, policy)
    let endpoints = ["authorize", "token", "logout"] + (hasDeviceCodes ? ["devicecode"] : [])
    let paths =
      hasMetadataOnly
      ? ["/.well-known/openid-configuration"]
      : ["/v2.0/.well-known/openid-configuration"] + endpoints.map { "/oauth2/v2.0/" + $0 }
    urls = (paths.map { base + $0 + query } + Array(repeating: "-", count: 5 - paths.count)).joined(separator: "\n")
  }

  var testDescription: String { "\(name): \(text) + \(policy ?? "no policy")" }
}

let guid = "775527ff-9a37-4307-8b3d-cc311f58d925"

let endpointRows: [EndpointRow] = [
  EndpointRow(
    "A, the tutorial's own", "https://login.microsoftonline.com/hypercubeb2c.onmicrosoft.com/",
    policy: "B2C_1_todo_email_signin", at: "https://login.microsoftonline.com/hypercubeb2c.onmicrosoft.com",
    query: "?p=B2C_1_todo_email_signin"),
  EndpointRow(
    "B", "https://login.microsoftonline.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn",
    at: "https://login.microsoftonline.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn"),
  EndpointRow(
    "B, te", "https://login.microsoftonline.com/te/contoso.onmicrosoft.com/B2C_1_SignIn/oauth2/authresp",
    at: "https://login.microsoftonline.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn"),
  EndpointRow(
    "C", "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_SignIn",
    at: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_SignIn"),
  EndpointRow(
    "C, metadata pasted",
    "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_SignIn/v2.0/.well-known/openid-configuration",
    at: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_SignIn"),
  EndpointRow(
    "C, the given policy wins and the form stays", "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_Other/",
    policy: "B2C_1_SignIn", at: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_SignIn"),
  EndpointRow(
    "D", "https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=B2C_1_SignIn",
    at: "https://contoso.b2clogin.com/contoso.onmicrosoft.com", query: "?p=B2C_1_SignIn"),
  EndpointRow(
    "D, metadata pasted",
    "https://contoso.b2clogin.com/contoso.onmicrosoft.com/v2.0/.well-known/openid-configuration?p=B2C_1_SignIn",
    at: "https://contoso.b2clogin.com/contoso.onmicrosoft.com", query: "?p=B2C_1_SignIn"),
  EndpointRow(
    "D, separate policy", "https://contoso.b2clogin.com/contoso.onmicrosoft.com", policy: "B2C_1_SignIn",
    at: "https://contoso.b2clogin.com/contoso.onmicrosoft.com", query: "?p=B2C_1_SignIn"),
  EndpointRow(
    "D, the given policy wins and the form stays",
    "https://contoso.b2clogin.com/contoso.onmicrosoft.com/?p=B2C_1_Other", policy: "B2C_1_SignIn",
    at: "https://contoso.b2clogin.com/contoso.onmicrosoft.com", query: "?p=B2C_1_SignIn"),
  EndpointRow(
    "D, the portal's test link",
    "https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=B2C_1_SignIn"
      + "&client_id=00000000-0000-0000-0000-000000000000&nonce=defaultNonce&redirect_uri=https%3A%2F%2Fjwt.ms"
      + "&scope=openid&response_type=id_token&prompt=login",
    at: "https://contoso.b2clogin.com/contoso.onmicrosoft.com", query: "?p=B2C_1_SignIn"),
  EndpointRow(
    "D, an old endpoint with its own query",
    "https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/authorize?api-version=1.0", policy: "B2C_1_SignIn",
    at: "https://contoso.b2clogin.com/contoso.onmicrosoft.com", query: "?p=B2C_1_SignIn"),
  EndpointRow(
    "E", "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn/",
    at: "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn"),
  EndpointRow(
    "E, separate policy", "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com", policy: "B2C_1A_x",
    at: "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1A_x"),
  EndpointRow(
    "F", "https://contoso.b2clogin.com/775527FF-9a37-4307-8b3d-cc311f58d925/b2c_1_signin",
    at: "https://contoso.b2clogin.com/775527FF-9a37-4307-8b3d-cc311f58d925/b2c_1_signin"),
  EndpointRow(
    "G, path", "https://login.contoso.com/contoso.onmicrosoft.com/SignIn",
    at: "https://login.contoso.com/contoso.onmicrosoft.com/SignIn"),
  EndpointRow(
    "G, GUID", "https://Login.Contoso.com:8443/\(guid)/B2C_1_SignIn",
    at: "https://Login.Contoso.com:8443/\(guid)/B2C_1_SignIn"),
  EndpointRow(
    "G, query", "https://login.contoso.com/\(guid)", policy: "B2C_1_SignIn", at: "https://login.contoso.com/\(guid)",
    query: "?p=B2C_1_SignIn"),
  EndpointRow(
    "H", "https://contoso.b2clogin.cn/contoso.partner.onmschina.cn/B2C_1_SignIn",
    at: "https://contoso.b2clogin.cn/contoso.partner.onmschina.cn/B2C_1_SignIn"),
  EndpointRow(
    "I, host alone", "https://contoso.ciamlogin.com", at: "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"),
  EndpointRow(
    "I, name", "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/v2.0/",
    at: "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"),
  EndpointRow(
    "I, GUID", "https://contoso.ciamlogin.com/\(guid)/v2.0/.well-known/openid-configuration",
    at: "https://contoso.ciamlogin.com/\(guid)"),
  EndpointRow(
    "I, GUID for a host's name", "https://\(guid).ciamlogin.com/", at: "https://\(guid).ciamlogin.com/\(guid)"),
  EndpointRow(
    "J, kind given", "https://login.contoso.com/\(guid)/v2.0", kind: .ciam, at: "https://login.contoso.com/\(guid)"),
  EndpointRow(
    "J, form alone", "https://login.contoso.com/contoso.onmicrosoft.com",
    at: "https://login.contoso.com/contoso.onmicrosoft.com"),
  EndpointRow(
    "J, by discovery", "https://login.contoso.com/\(guid)/v2.0", kind: .openIDConnect,
    at: "https://login.contoso.com/\(guid)/v2.0", hasMetadataOnly: true),
  EndpointRow(
    "K", "https://login.microsoftonline.com/common", at: "https://login.microsoftonline.com/common",
    hasDeviceCodes: true),
  EndpointRow(
    "K, US Government", "https://login.microsoftonline.us/contoso.onmicrosoft.us/v2.0",
    at: "https://login.microsoftonline.us/contoso.onmicrosoft.us", hasDeviceCodes: true),
  EndpointRow(
    "generic issuer", "https://auth.example.com/realms/Demo/.well-known/openid-configuration",
    at: "https://auth.example.com/realms/Demo", hasMetadataOnly: true),
  EndpointRow(
    "generic issuer without a path", "https://accounts.google.com/", at: "https://accounts.google.com",
    hasMetadataOnly: true),
  EndpointRow(
    "loopback, query", "http://127.0.0.1:8080/tenant/", policy: "B2C_1_SignIn", at: "http://127.0.0.1:8080/tenant",
    query: "?p=B2C_1_SignIn"),
  EndpointRow(
    "loopback, path", "http://localhost:8080/tenant/B2C_1_SignIn", at: "http://localhost:8080/tenant/B2C_1_SignIn"),
  EndpointRow("loopback, tfp", "http://[::1]:8080/tfp/tenant/policy", at: "http://[::1]:8080/tfp/tenant/policy"),
  EndpointRow(
    "loopback without a policy", "http://127.0.0.1:8080/tenant/", at: "http://127.0.0.1:8080/tenant",
    hasMetadataOnly: true),
  EndpointRow(
    "loopback as Entra ID", "http://127.0.0.1:8080/tenant/", kind: .entra, at: "http://127.0.0.1:8080/tenant",
    hasDeviceCodes: true),
  EndpointRow(
    "a policy with characters that need escapes, query", "https://contoso.b2clogin.com/contoso.onmicrosoft.com",
    policy: "B2C_1_a+b;c'é", at: "https://contoso.b2clogin.com/contoso.onmicrosoft.com",
    query: "?p=B2C_1_a%2Bb%3Bc%27%C3%A9"),
  EndpointRow(
    "a policy with characters that need escapes, path",
    "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_a+b;c'%C3%A9",
    at: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_a%2Bb%3Bc%27%C3%A9"),
]
