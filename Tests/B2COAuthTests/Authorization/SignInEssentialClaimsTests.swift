import B2CAuthority
import B2CCore
import B2CIDToken
import B2COAuth
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// OpenID Connect Core 5.5.1 and 5.5.1.1: what a sign-in made essential, and a provider may ignore.
@Suite("Essential claims of a claims request")
struct SignInEssentialClaimsTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let request: String
    var acr: JSONValue?
    var authenticationTime: JSONValue? = 1_767_225_600
    var refused: IDTokenRejection.Reason?
    var testDescription: String { "\(request) \(acr.map { "\($0)" } ?? "no acr")" }
  }

  private static let strong = #"{"id_token":{"acr":{"essential":true,"values":["urn:strong","urn:stronger"]}}}"#
  private static let exact = #"{"id_token":{"acr":{"essential":true,"value":"urn:strong"}}}"#
  private static let any = #"{"id_token":{"acr":{"essential":true}}}"#
  private static let time = #"{"id_token":{"auth_time":{"essential":true}}}"#

  static let rows: [Row] = [
    Row(request: strong, refused: .authenticationContext),
    Row(request: strong, acr: "0", refused: .authenticationContext),
    Row(request: strong, acr: "URN:STRONG", refused: .authenticationContext),
    Row(request: strong, acr: ["urn:strong"], refused: .authenticationContext),
    Row(request: strong, acr: "urn:stronger"),
    Row(request: exact, acr: "urn:stronger", refused: .authenticationContext), Row(request: exact, acr: "urn:strong"),
    Row(request: any, refused: .authenticationContext), Row(request: any, acr: "0"),
    Row(request: time, authenticationTime: nil, refused: .authenticationTime),
    Row(request: time, authenticationTime: "yesterday", refused: .authenticationTime), Row(request: time),
    // What is not essential, or asked for elsewhere, may be missing.
    Row(request: #"{"id_token":{"acr":{"values":["urn:strong"]},"auth_time":null}}"#, authenticationTime: nil),
    Row(request: #"{"id_token":{"acr":{"essential":false,"values":["urn:strong"]}}}"#),
    Row(request: #"{"userinfo":{"acr":{"essential":true},"auth_time":{"essential":true}}}"#, authenticationTime: nil),
    Row(request: #"{"id_token":{"email":{"essential":true}}}"#), Row(request: "{}"),
  ]

  @Test("An acr or auth_time that is essential has to be there, and the acr one of those asked for", arguments: rows)
  func row(_ row: Row) async throws {
    let fixture = Fixture(shape: .openIDConnect) {
      $0.changeIDTokenClaims = {
        $0["acr"] = row.acr
        $0["auth_time"] = row.authenticationTime
      }
    }
    let client = try fixture.client()
    let options = SignInOptions(claimsRequest: row.request)
    guard let reason = row.refused else {
      try await client.signIn(options: options)
      return
    }
    let error = try await #require(throws: OAuthError.self) { try await client.signIn(options: options) }
    #expect((error.underlying as? IDTokenRejection)?.reason == reason)
    #expect(error.recoverySuggestion != nil)
    #expect(try await fixture.cache.keys().isEmpty)
  }

  @Test(
    "A claims request that is not a JSON object is refused before the page opens",
    arguments: ["x", "[]", #"{"id_token":"#, #"{"id_token":{},"id_token":{}}"#])
  func malformed(_ text: String) async throws {
    let fixture = Fixture(shape: .openIDConnect)
    let presenter = fixture.script(.signIn(.alice))
    await expectError(OAuthError.self, .configuration) {
      try await fixture.client(presenter: presenter).signIn(options: SignInOptions(claimsRequest: text))
    }
    #expect(presenter.requests.isEmpty)
  }

  @Test("The password-reset step is not the sign-in: its id_token need not have what the sign-in must")
  func passwordReset() async throws {
    let fixture = Fixture()
    let client = try fixture.client(
      presenter: ScriptedPresenter(
        transport: fixture.network, .forgotPassword,
        .resetPassword(email: LocalUser.alice.email, newPassword: "Another-1"),
        .signIn(email: LocalUser.alice.email, password: "Another-1"))
    ) { $0.passwordResetPolicy = try? Policy("B2C_1_ResetPassword") }
    fixture.tenant.behavior.changeIDTokenClaims = {
      if $0["tfp"] != "B2C_1_ResetPassword" { $0["acr"] = "urn:strong" }
    }
    let result = try await client.signIn(options: SignInOptions(prompt: .login, claimsRequest: Self.strong))
    #expect(result.policy?.id == Fixture.signIn)
  }
}
