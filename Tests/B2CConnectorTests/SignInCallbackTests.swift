import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("Callbacks", .hangLimit)
struct SignInCallbackTests {
  /// A callback that breaks a rule.
  struct Bad: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let words: String
    let change: @Sendable (URL) throws -> URL

    init(_ name: String, _ words: String, _ change: @escaping @Sendable (URL) throws -> URL) {
      (testDescription, self.words, self.change) = (name, words, change)
    }

    /// A callback with something added to its query.
    static func adding(_ name: String, _ text: String, _ words: String) -> Bad {
      Bad(name, words) { try url($0.absoluteString + text) }
    }

    /// A callback with another query.
    static func query(_ name: String, _ text: String) -> Bad {
      Bad(name, noState) { _ in try url("\(Scene.redirect)?\(text)") }
    }
  }

  private static let noState = "does not contain the state"

  static let bad: [Bad] = [
    Bad("another state", noState) { try $0.replacing("state=", "state=x") },
    Bad("no state", noState) { try $0.replacing("state=", "other=") },
    .query("an empty state", "code=c&state="),
    .query("an error with another state", "error=access_denied&state=x"),
    .adding("a doubled code", "&code=again", "a parameter twice"),
    .adding("a doubled state", "&state=again", "a parameter twice"),
    Bad("no code", "neither a code nor an error") { try $0.replacing("code=", "cod=") },
    Bad("another path", "does not match") { try $0.replacing("/callback", "/elsewhere") },
    Bad("another scheme", "does not match") { try $0.replacing("com.example.tasks", "com.example.other") },
    .adding("a foreign issuer", "&iss=https%3A%2F%2Fevil.example", "issuer that was not asked"),
    .adding("100,000 characters", "&x=" + String(repeating: "a", count: 100_000), "longer than 64 KiB"),
  ]

  @Test("A callback that breaks a rule is refused before anything is sent", arguments: bad)
  func refused(_ bad: Bad) async throws {
    let scene = Scene()
    let presenter = CallbackPresenter(scene.script(.signIn(.alice)), bad.change)
    await expectError(ConnectorError.self, .invalidResponse, saying: bad.words) {
      try await scene.connector(presenter: presenter).signIn()
    }
    #expect(scene.transport.tokenForms.isEmpty)
    #expect(try await scene.cache.keys().isEmpty)
  }

  /// Signs in at a provider that answers with a query and the right state.
  private func signIn(_ query: String, _ shape: LocalTenant.Shape) async throws -> ConnectorError {
    let scene = Scene(shape: shape)
    let presenter = CannedPresenter { "\(Scene.redirect)?\(query)&state=\($0.state.value)" }
    let error = try await #require(throws: ConnectorError.self) {
      try await scene.connector(presenter: presenter).signIn(options: SignInOptions(prompt: .none))
    }
    #expect(scene.transport.tokenForms.isEmpty)
    return error
  }

  @Test(
    "An error with the right state is read although its issuer is missing, or a parameter that only describes it is there twice",
    arguments: [
      "error=login_required", "error=login_required&error_description=a&error_description=b",
      "error=interaction_required&error_uri=x&error_uri=y&session_state=1&session_state=2",
    ], [LocalTenant.Shape.openIDConnect, .b2c])
  func incompleteError(_ query: String, _ shape: LocalTenant.Shape) async throws {
    let error = try await signIn(query, shape)
    #expect(error.code == .interactionRequired && error.needsInteraction, "\(error)")
  }

  @Test(
    "What decides about a sign-in is there once and from the right issuer, which a generic one must name (RFC 9207)",
    arguments: [
      "error=login_required&error=x", "error=login_required&iss=https%3A%2F%2Fevil.example", "code=x",
      "code=x&iss=https%3A%2F%2Fevil.example",
      "error=login_required&iss=a&iss=b", "code=x&code=y",
    ])
  func decisive(_ query: String) async throws {
    #expect(try await signIn(query, .openIDConnect).code == .invalidResponse)
  }

  @Test("An error keeps what the server said, read as a form: blanks, lines, correlation id, time and code")
  func errorText() async throws {
    let id = "3f2504e0-4f89-11d3-9a0c-0305e82c3301"
    let text =
      "AADB2C90273%3a+An+invalid+response+was+received.%0d%0aCorrelation+ID%3a+\(id)%0d%0aTimestamp%3a+2018-03-29+20%3a57%3a03Z%0d%0a"
    let error = try await signIn("error=access_denied&error_description=\(text)", .b2c)
    #expect(error.code == .identityProviderFailed)
    #expect(error.oauthError == "access_denied" && error.serverCode == "AADB2C90273")
    #expect(error.correlationID == UUID(uuidString: id))
    #expect(error.serverDescription?.hasPrefix("AADB2C90273: An invalid response") == true)
  }
}
