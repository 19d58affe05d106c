import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("Callbacks", .hangLimit)
struct SignInCallbackTests {
  struct Bad: Sendable, CustomTestStringConvertible {
    let name: String
    let words: String
    let change: @Sendable (URL) throws -> URL
    var testDescription: String { name }

    init(_ name: String, _ words: String, _ change: @escaping @Sendable (URL) throws -> URL) {
      self.name = name
      self.words = words
      self.change = change
    }
  }

  static let bad: [Bad] = [
    Bad("another state", "does not contain the state") { try $0.replacing("state=", "state=x") },
    Bad("no state", "does not contain the state") { try $0.replacing("state=", "other=") },
    Bad("an empty state", "does not contain the state") { _ in
      try require(URL(string: "\(Scene.redirect)?code=c&state="))
    },
    Bad("an error with another state") { _ in
      try require(URL(string: "\(Scene.redirect)?error=access_denied&state=x"))
    },
    Bad("a doubled code", "a parameter twice") { try require(URL(string: $0.absoluteString + "&code=again")) },
    Bad("a doubled state", "a parameter twice") { try require(URL(string: $0.absoluteString + "&state=again")) },
    Bad("no code", "neither a code nor an error") { try $0.replacing("code=", "cod=") },
    Bad("another path", "does not match") { try $0.replacing("/callback", "/elsewhere") },
    Bad("another scheme", "does not match") { try $0.replacing("com.example.tasks", "com.example.other") },
    Bad("a foreign issuer", "another issuer") {
      try require(URL(string: $0.absoluteString + "&iss=https%3A%2F%2Fevil.example"))
    },
    Bad("a URL of 100,000 characters", "longer than 64 KiB") {
      try require(URL(string: $0.absoluteString + "&x=" + String(repeating: "a", count: 100_000)))
    },
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

  @Test(
    "An error with the right state is read although its issuer is missing, or a parameter that only describes it is there twice",
    arguments: [
      "error=login_required", "error=login_required&error_description=a&error_description=b",
      "error=interaction_required&error_uri=x&error_uri=y&session_state=1&session_state=2",
    ], [LocalTenant.Shape.openIDConnect, .b2c])
  func incompleteError(_ query: String, _ shape: LocalTenant.Shape) async throws {
    let presenter = CannedPresenter { "\(Scene.redirect)?\(query)&state=\($0.state.value)" }
    let error = try await #require(throws: ConnectorError.self) {
      try await Scene(shape: shape).connector(presenter: presenter).signIn(options: SignInOptions(prompt: .none))
    }
    #expect(error.code == .interactionRequired && error.needsInteraction, "\(error)")
  }

  @Test(
    "What decides about a sign-in is there once and from the right issuer",
    arguments: [
      "error=login_required&error=x", "error=login_required&iss=https%3A%2F%2Fevil.example", "code=x",
      "error=login_required&iss=a&iss=b", "code=x&code=y",
    ])
  func decisive(_ query: String) async throws {
    let scene = Scene(shape: .openIDConnect)
    let presenter = CannedPresenter { "\(Scene.redirect)?\(query)&state=\($0.state.value)" }
    await expectError(ConnectorError.self, .invalidResponse) {
      try await scene.connector(presenter: presenter).signIn(options: SignInOptions(prompt: .none))
    }
    #expect(scene.transport.tokenForms.isEmpty)
  }

  @Test("A callback is used once")
  func once() async throws {
    let scene = Scene()
    let first = Locked<URL?>(nil)
    let inner = scene.script(.signIn(.alice))
    let presenter = CallbackPresenter(inner) { url in
      first.withLock { kept in
        let answer = kept ?? url
        kept = answer
        return answer
      }
    }
    let connector = try scene.connector(presenter: presenter)
    try await connector.signIn()
    await expectError(ConnectorError.self, .invalidResponse, saying: "does not contain the state") {
      try await connector.signIn(options: SignInOptions(prompt: .login))
    }
    #expect(scene.transport.tokenForms.count == 1)
  }

  @Test("A callback may come in the fragment")
  func fragment() async throws {
    let scene = Scene()
    let presenter = CallbackPresenter(scene.script(.signIn(.alice))) { try $0.replacing("?", "#") }
    #expect(try await scene.connector(presenter: presenter).signIn().user.objectID == LocalUser.alice.id)
  }

  @Test("The tenant drops or changes the state", arguments: [nil, "x"])
  func tenantState(_ state: String?) async throws {
    let scene = Scene()
    scene.tenant.faults = [.callback("state", state)]
    await #expect(throws: ConnectorError.self) { try await scene.connector().signIn() }
    #expect(scene.transport.tokenForms.isEmpty)
  }

  @Test("An error is read as a form: blanks, lines, correlation id, time and code")
  func errorText() async throws {
    let scene = Scene()
    let id = "3f2504e0-4f89-11d3-9a0c-0305e82c3301"
    let presenter = CannedPresenter { request in
      let text =
        "AADB2C90273%3a+An+invalid+response+was+received.%0d%0aCorrelation+ID%3a+\(id)%0d%0aTimestamp%3a+2018-03-29+20%3a57%3a03Z%0d%0a"
      return "\(Scene.redirect)?error=access_denied&error_description=\(text)&state=\(request.state.value)"
    }
    let error = try await #require(throws: ConnectorError.self) {
      try await scene.connector(presenter: presenter).signIn()
    }
    #expect(error.code == .identityProviderFailed)
    #expect(error.serverCode == "AADB2C90273")
    #expect(error.correlationID == UUID(uuidString: id))
    #expect(error.serverDescription?.hasPrefix("AADB2C90273: An invalid response") == true)
  }
}

extension SignInCallbackTests.Bad {
  fileprivate init(_ name: String, _ change: @escaping @Sendable (URL) throws -> URL) {
    self.init(name, "does not contain the state", change)
  }
}
