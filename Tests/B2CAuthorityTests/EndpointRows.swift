import B2CAuthority
import Foundation
import Testing

/// One authority as a developer writes it, the policy beside it, and all the URLs that follow.
struct EndpointRow: Sendable, CustomTestStringConvertible {
  let name: String
  let text: String
  var kind: Authority.Kind?
  var policy: String?
  /// Metadata, authorization, token, end of session, device authorization; `-` where only metadata tells.
  let urls: String

  var testDescription: String { "\(name): \(text) + \(policy ?? "no policy")" }
}

let guid = "775527ff-9a37-4307-8b3d-cc311f58d925"

let endpointRows: [EndpointRow] = [
  EndpointRow(
    name: "A, the tutorial's own", text: "https://login.microsoftonline.com/hypercubeb2c.onmicrosoft.com/",
    policy: "B2C_1_todo_email_signin",
    urls: """
      https://login.microsoftonline.com/hypercubeb2c.onmicrosoft.com/v2.0/.well-known/openid-configuration?p=B2C_1_todo_email_signin
      https://login.microsoftonline.com/hypercubeb2c.onmicrosoft.com/oauth2/v2.0/authorize?p=B2C_1_todo_email_signin
      https://login.microsoftonline.com/hypercubeb2c.onmicrosoft.com/oauth2/v2.0/token?p=B2C_1_todo_email_signin
      https://login.microsoftonline.com/hypercubeb2c.onmicrosoft.com/oauth2/v2.0/logout?p=B2C_1_todo_email_signin
      -
      """),
  EndpointRow(
    name: "B", text: "https://login.microsoftonline.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn",
    urls: """
      https://login.microsoftonline.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn/v2.0/.well-known/openid-configuration
      https://login.microsoftonline.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn/oauth2/v2.0/authorize
      https://login.microsoftonline.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn/oauth2/v2.0/token
      https://login.microsoftonline.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn/oauth2/v2.0/logout
      -
      """),
  EndpointRow(
    name: "B, te", text: "https://login.microsoftonline.com/te/contoso.onmicrosoft.com/B2C_1_SignIn/oauth2/authresp",
    urls: """
      https://login.microsoftonline.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn/v2.0/.well-known/openid-configuration
      https://login.microsoftonline.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn/oauth2/v2.0/authorize
      https://login.microsoftonline.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn/oauth2/v2.0/token
      https://login.microsoftonline.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn/oauth2/v2.0/logout
      -
      """),
  EndpointRow(
    name: "C", text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_SignIn", urls: contosoPath),
  EndpointRow(
    name: "C, metadata pasted",
    text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_SignIn/v2.0/.well-known/openid-configuration",
    urls: contosoPath),
  EndpointRow(
    name: "C, the given policy wins and the form stays",
    text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_Other/", policy: "B2C_1_SignIn", urls: contosoPath
  ),
  EndpointRow(
    name: "D", text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=B2C_1_SignIn",
    urls: contosoQuery),
  EndpointRow(
    name: "D, metadata pasted",
    text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/v2.0/.well-known/openid-configuration?p=B2C_1_SignIn",
    urls: contosoQuery),
  EndpointRow(
    name: "D, policy beside it", text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com", policy: "B2C_1_SignIn",
    urls: contosoQuery),
  EndpointRow(
    name: "D, the given policy wins and the form stays",
    text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/?p=B2C_1_Other", policy: "B2C_1_SignIn",
    urls: contosoQuery),
  EndpointRow(
    name: "D, the portal's test link",
    text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=B2C_1_SignIn"
      + "&client_id=00000000-0000-0000-0000-000000000000&nonce=defaultNonce&redirect_uri=https%3A%2F%2Fjwt.ms"
      + "&scope=openid&response_type=id_token&prompt=login",
    urls: contosoQuery),
  EndpointRow(
    name: "D, an old endpoint with its own query",
    text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/authorize?api-version=1.0",
    policy: "B2C_1_SignIn",
    urls: contosoQuery),
  EndpointRow(
    name: "E", text: "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn/",
    urls: """
      https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn/v2.0/.well-known/openid-configuration
      https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn/oauth2/v2.0/authorize
      https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn/oauth2/v2.0/token
      https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn/oauth2/v2.0/logout
      -
      """),
  EndpointRow(
    name: "E, policy beside it", text: "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com", policy: "B2C_1A_x",
    urls: """
      https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1A_x/v2.0/.well-known/openid-configuration
      https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1A_x/oauth2/v2.0/authorize
      https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1A_x/oauth2/v2.0/token
      https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1A_x/oauth2/v2.0/logout
      -
      """),
  EndpointRow(
    name: "F", text: "https://contoso.b2clogin.com/775527FF-9a37-4307-8b3d-cc311f58d925/b2c_1_signin",
    urls: """
      https://contoso.b2clogin.com/775527FF-9a37-4307-8b3d-cc311f58d925/b2c_1_signin/v2.0/.well-known/openid-configuration
      https://contoso.b2clogin.com/775527FF-9a37-4307-8b3d-cc311f58d925/b2c_1_signin/oauth2/v2.0/authorize
      https://contoso.b2clogin.com/775527FF-9a37-4307-8b3d-cc311f58d925/b2c_1_signin/oauth2/v2.0/token
      https://contoso.b2clogin.com/775527FF-9a37-4307-8b3d-cc311f58d925/b2c_1_signin/oauth2/v2.0/logout
      -
      """),
  EndpointRow(
    name: "G, path", text: "https://login.contoso.com/contoso.onmicrosoft.com/SignIn",
    urls: """
      https://login.contoso.com/contoso.onmicrosoft.com/SignIn/v2.0/.well-known/openid-configuration
      https://login.contoso.com/contoso.onmicrosoft.com/SignIn/oauth2/v2.0/authorize
      https://login.contoso.com/contoso.onmicrosoft.com/SignIn/oauth2/v2.0/token
      https://login.contoso.com/contoso.onmicrosoft.com/SignIn/oauth2/v2.0/logout
      -
      """),
  EndpointRow(
    name: "G, GUID", text: "https://Login.Contoso.com:8443/\(guid)/B2C_1_SignIn",
    urls: """
      https://Login.Contoso.com:8443/\(guid)/B2C_1_SignIn/v2.0/.well-known/openid-configuration
      https://Login.Contoso.com:8443/\(guid)/B2C_1_SignIn/oauth2/v2.0/authorize
      https://Login.Contoso.com:8443/\(guid)/B2C_1_SignIn/oauth2/v2.0/token
      https://Login.Contoso.com:8443/\(guid)/B2C_1_SignIn/oauth2/v2.0/logout
      -
      """),
  EndpointRow(
    name: "G, query", text: "https://login.contoso.com/\(guid)", policy: "B2C_1_SignIn",
    urls: """
      https://login.contoso.com/\(guid)/v2.0/.well-known/openid-configuration?p=B2C_1_SignIn
      https://login.contoso.com/\(guid)/oauth2/v2.0/authorize?p=B2C_1_SignIn
      https://login.contoso.com/\(guid)/oauth2/v2.0/token?p=B2C_1_SignIn
      https://login.contoso.com/\(guid)/oauth2/v2.0/logout?p=B2C_1_SignIn
      -
      """),
  EndpointRow(
    name: "H", text: "https://contoso.b2clogin.cn/contoso.partner.onmschina.cn/B2C_1_SignIn",
    urls: """
      https://contoso.b2clogin.cn/contoso.partner.onmschina.cn/B2C_1_SignIn/v2.0/.well-known/openid-configuration
      https://contoso.b2clogin.cn/contoso.partner.onmschina.cn/B2C_1_SignIn/oauth2/v2.0/authorize
      https://contoso.b2clogin.cn/contoso.partner.onmschina.cn/B2C_1_SignIn/oauth2/v2.0/token
      https://contoso.b2clogin.cn/contoso.partner.onmschina.cn/B2C_1_SignIn/oauth2/v2.0/logout
      -
      """),
  EndpointRow(
    name: "I, host alone", text: "https://contoso.ciamlogin.com",
    urls: contosoCIAM),
  EndpointRow(
    name: "I, name", text: "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/v2.0/", urls: contosoCIAM),
  EndpointRow(
    name: "I, GUID", text: "https://contoso.ciamlogin.com/\(guid)/v2.0/.well-known/openid-configuration",
    urls: """
      https://contoso.ciamlogin.com/\(guid)/v2.0/.well-known/openid-configuration
      https://contoso.ciamlogin.com/\(guid)/oauth2/v2.0/authorize
      https://contoso.ciamlogin.com/\(guid)/oauth2/v2.0/token
      https://contoso.ciamlogin.com/\(guid)/oauth2/v2.0/logout
      -
      """),
  EndpointRow(
    name: "I, GUID for a host's name", text: "https://\(guid).ciamlogin.com/",
    urls: """
      https://\(guid).ciamlogin.com/\(guid)/v2.0/.well-known/openid-configuration
      https://\(guid).ciamlogin.com/\(guid)/oauth2/v2.0/authorize
      https://\(guid).ciamlogin.com/\(guid)/oauth2/v2.0/token
      https://\(guid).ciamlogin.com/\(guid)/oauth2/v2.0/logout
      -
      """),
  EndpointRow(
    name: "J, kind given", text: "https://login.contoso.com/\(guid)/v2.0", kind: .ciam,
    urls: """
      https://login.contoso.com/\(guid)/v2.0/.well-known/openid-configuration
      https://login.contoso.com/\(guid)/oauth2/v2.0/authorize
      https://login.contoso.com/\(guid)/oauth2/v2.0/token
      https://login.contoso.com/\(guid)/oauth2/v2.0/logout
      -
      """),
  EndpointRow(
    name: "J, form alone", text: "https://login.contoso.com/contoso.onmicrosoft.com",
    urls: """
      https://login.contoso.com/contoso.onmicrosoft.com/v2.0/.well-known/openid-configuration
      https://login.contoso.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize
      https://login.contoso.com/contoso.onmicrosoft.com/oauth2/v2.0/token
      https://login.contoso.com/contoso.onmicrosoft.com/oauth2/v2.0/logout
      -
      """),
  EndpointRow(
    name: "J, by discovery", text: "https://login.contoso.com/\(guid)/v2.0", kind: .openIDConnect,
    urls: "https://login.contoso.com/\(guid)/v2.0/.well-known/openid-configuration\n-\n-\n-\n-"),
  EndpointRow(
    name: "K", text: "https://login.microsoftonline.com/common",
    urls: """
      https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration
      https://login.microsoftonline.com/common/oauth2/v2.0/authorize
      https://login.microsoftonline.com/common/oauth2/v2.0/token
      https://login.microsoftonline.com/common/oauth2/v2.0/logout
      https://login.microsoftonline.com/common/oauth2/v2.0/devicecode
      """),
  EndpointRow(
    name: "K, US Government", text: "https://login.microsoftonline.us/contoso.onmicrosoft.us/v2.0",
    urls: """
      https://login.microsoftonline.us/contoso.onmicrosoft.us/v2.0/.well-known/openid-configuration
      https://login.microsoftonline.us/contoso.onmicrosoft.us/oauth2/v2.0/authorize
      https://login.microsoftonline.us/contoso.onmicrosoft.us/oauth2/v2.0/token
      https://login.microsoftonline.us/contoso.onmicrosoft.us/oauth2/v2.0/logout
      https://login.microsoftonline.us/contoso.onmicrosoft.us/oauth2/v2.0/devicecode
      """),
  EndpointRow(
    name: "generic issuer", text: "https://auth.example.com/realms/Demo/.well-known/openid-configuration",
    urls: "https://auth.example.com/realms/Demo/.well-known/openid-configuration\n-\n-\n-\n-"),
  EndpointRow(
    name: "generic issuer without a path", text: "https://accounts.google.com/",
    urls: "https://accounts.google.com/.well-known/openid-configuration\n-\n-\n-\n-"),
  EndpointRow(
    name: "loopback, query", text: "http://127.0.0.1:8080/tenant/", policy: "B2C_1_SignIn",
    urls: """
      http://127.0.0.1:8080/tenant/v2.0/.well-known/openid-configuration?p=B2C_1_SignIn
      http://127.0.0.1:8080/tenant/oauth2/v2.0/authorize?p=B2C_1_SignIn
      http://127.0.0.1:8080/tenant/oauth2/v2.0/token?p=B2C_1_SignIn
      http://127.0.0.1:8080/tenant/oauth2/v2.0/logout?p=B2C_1_SignIn
      -
      """),
  EndpointRow(
    name: "loopback, path", text: "http://localhost:8080/tenant/B2C_1_SignIn",
    urls: """
      http://localhost:8080/tenant/B2C_1_SignIn/v2.0/.well-known/openid-configuration
      http://localhost:8080/tenant/B2C_1_SignIn/oauth2/v2.0/authorize
      http://localhost:8080/tenant/B2C_1_SignIn/oauth2/v2.0/token
      http://localhost:8080/tenant/B2C_1_SignIn/oauth2/v2.0/logout
      -
      """),
  EndpointRow(
    name: "loopback, tfp", text: "http://[::1]:8080/tfp/tenant/policy",
    urls: """
      http://[::1]:8080/tfp/tenant/policy/v2.0/.well-known/openid-configuration
      http://[::1]:8080/tfp/tenant/policy/oauth2/v2.0/authorize
      http://[::1]:8080/tfp/tenant/policy/oauth2/v2.0/token
      http://[::1]:8080/tfp/tenant/policy/oauth2/v2.0/logout
      -
      """),
  EndpointRow(
    name: "loopback without a policy", text: "http://127.0.0.1:8080/tenant/",
    urls: "http://127.0.0.1:8080/tenant/.well-known/openid-configuration\n-\n-\n-\n-"),
  EndpointRow(
    name: "loopback as Entra ID", text: "http://127.0.0.1:8080/tenant/", kind: .entra,
    urls: """
      http://127.0.0.1:8080/tenant/v2.0/.well-known/openid-configuration
      http://127.0.0.1:8080/tenant/oauth2/v2.0/authorize
      http://127.0.0.1:8080/tenant/oauth2/v2.0/token
      http://127.0.0.1:8080/tenant/oauth2/v2.0/logout
      http://127.0.0.1:8080/tenant/oauth2/v2.0/devicecode
      """),
  EndpointRow(
    name: "a policy with characters that need escapes, query",
    text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com", policy: "B2C_1_a+b;c'é",
    urls: """
      https://contoso.b2clogin.com/contoso.onmicrosoft.com/v2.0/.well-known/openid-configuration?p=B2C_1_a%2Bb%3Bc%27%C3%A9
      https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=B2C_1_a%2Bb%3Bc%27%C3%A9
      https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/v2.0/token?p=B2C_1_a%2Bb%3Bc%27%C3%A9
      https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/v2.0/logout?p=B2C_1_a%2Bb%3Bc%27%C3%A9
      -
      """),
  EndpointRow(
    name: "a policy with characters that need escapes, path",
    text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_a+b;c'%C3%A9",
    urls: """
      https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_a%2Bb%3Bc%27%C3%A9/v2.0/.well-known/openid-configuration
      https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_a%2Bb%3Bc%27%C3%A9/oauth2/v2.0/authorize
      https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_a%2Bb%3Bc%27%C3%A9/oauth2/v2.0/token
      https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_a%2Bb%3Bc%27%C3%A9/oauth2/v2.0/logout
      -
      """),
]

private let contosoPath = """
  https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_SignIn/v2.0/.well-known/openid-configuration
  https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_SignIn/oauth2/v2.0/authorize
  https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_SignIn/oauth2/v2.0/token
  https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_SignIn/oauth2/v2.0/logout
  -
  """

private let contosoQuery = """
  https://contoso.b2clogin.com/contoso.onmicrosoft.com/v2.0/.well-known/openid-configuration?p=B2C_1_SignIn
  https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=B2C_1_SignIn
  https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/v2.0/token?p=B2C_1_SignIn
  https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/v2.0/logout?p=B2C_1_SignIn
  -
  """

private let contosoCIAM = """
  https://contoso.ciamlogin.com/contoso.onmicrosoft.com/v2.0/.well-known/openid-configuration
  https://contoso.ciamlogin.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize
  https://contoso.ciamlogin.com/contoso.onmicrosoft.com/oauth2/v2.0/token
  https://contoso.ciamlogin.com/contoso.onmicrosoft.com/oauth2/v2.0/logout
  -
  """
