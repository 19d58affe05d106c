import B2CConnector
import B2CIDToken
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Promise: tokens, codes, verifiers and passwords are in nothing that can be printed, wherever they come from.
///
/// What a server writes into errors and pages is in ``SecrecyEchoTests``.
@Suite("Secrets are in nothing that can be printed", .hangLimit)
struct SecrecySweepTests {
  /// A token, as another provider may issue it.
  static let token = "eyJjYW5hcnkiOiJ0b2tlbiJ9.Y2FuYXJ5LXRva2VuLW9mLWFub3RoZXItcHJvdmlkZXI"
  /// A text with control characters and a line of its own.
  static let forgery = "\u{1B}]0;pwn\u{7}\u{202E}\n2026 admin logged in"
  private static let canary = token + forgery

  // MARK: Where a canary is planted

  struct Place: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var shape = LocalTenant.Shape.openIDConnect
    let plant: @Sendable (inout LocalTenant.Behavior) -> Void
  }

  /// Fields of a token response, of an id_token and its header, and of the metadata document.
  static let tokens: [Place] = [
    "access_token", "refresh_token", "id_token", "token_type", "scope", "expires_in", "refresh_in", "not_before",
    "refresh_token_expires_in", "error", "error_description",
  ].map { name in
    Place(testDescription: "\(name) of a token response") { $0.changeTokenAnswer = { $0[name] = .string(canary) } }
  }
  static let headerFields: [Place] = ["alg", "typ", "kid", "crit"].map { name in
    Place(testDescription: "\(name) of an id_token") { $0.changeIDTokenHeader { $0[name] = .string(canary) } }
  }
  static let claims: [Place] = [
    "iss", "aud", "azp", "exp", "iat", "nonce", "at_hash", "tfp", "acr", "name", "given_name", "preferred_username",
    "email", "emails", "idp", "idp_access_token",
  ].flatMap { name in
    [LocalTenant.Shape.openIDConnect, .b2c].map { shape in
      Place(testDescription: "claim \(name) at \(shape)", shape: shape) {
        $0.changeIDTokenClaims = { $0[name] = .string(canary) }
      }
    }
  }
  static let long = Place(testDescription: "long issuer of an id_token") {
    $0.changeIDTokenClaims = { $0["iss"] = .string("https://" + String(repeating: "x ", count: 20_000)) }
  }
  static let issuer = Place(testDescription: "issuer of the metadata", shape: .ciam) {
    $0.changeMetadata = {
      $0["issuer"] = .string("https://login.example/22222222-2222-4222-8222-222222222222/" + forgery)
    }
  }
  static let endpoints: [Place] = [
    "authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint", "end_session_endpoint",
    "device_authorization_endpoint", "revocation_endpoint", "id_token_signing_alg_values_supported", "scopes_supported",
  ].map { name in
    Place(testDescription: "\(name) of the metadata") { behavior in
      behavior.changeMetadata = { fields in
        let url = fields[name]?.string
        fields[name] = url.map { .string($0 + "?x=" + token) } ?? [.string(token)]
      }
    }
  }

  static let callbacks: [(address: String, query: [String: String])] = [
    (Scene.redirect, ["error": canary, "error_description": canary, "error_subcode": canary]),
    (Scene.redirect, ["error": "access_denied", "error_description": "AADB2C90091: \(canary)"]),
    (Scene.redirect, ["code": canary, "iss": canary]), (Scene.redirect, ["code": "x", "state": canary]),
    ("https://evil.example/", ["code": token]),
  ]

  private static let sweep = SecretSweep([token])

  @Test(
    "A token that a server plants is not shown, and its words forge no line",
    arguments: [tokens, headerFields, claims, [long, issuer], endpoints].flatMap(\.self))
  func server(_ place: Place) async throws {
    let scene = Scene(shape: place.shape)
    place.plant(&scene.tenant.behavior)
    await expectNoTrace(scene)
  }

  @Test("Neither does a callback show one", arguments: callbacks)
  func callback(_ address: String, _ query: [String: String]) async throws {
    let presenter = CannedPresenter { page in
      let pairs = query.merging(["state": page.state.value]) { given, _ in given }
      return address + "?" + FormEncoding.encode(pairs.map { ($0.key, $0.value) })
    }
    await expectNoTrace(Scene(shape: .openIDConnect), presenter)
  }

  private func expectNoTrace(_ scene: Scene, _ presenter: (any SignInPresenter)? = nil) async {
    let told = Told()
    await told.callEverything(scene, scene.environment(presenter: presenter))
    expectNoTrace(of: Self.sweep, in: told.all)
    for text in told.logged {
      #expect(text.unicodeScalars.allSatisfy(PrintableText.isPrintable) && text.utf8.count < 2_000, "\(text)")
    }
  }

  private func expectNoTrace(of sweep: SecretSweep, in text: String) {
    let trace = sweep.trace(in: text.utf8)
    #expect(trace == nil, "\(trace ?? "")")
  }

  // MARK: The app's parts

  private struct Part: SignInPresenter, HTTPTransport {
    let error: any Error

    func validate(redirectURI: URL) throws { throw error }
    func present(_ request: PresentationRequest) async throws -> URL { throw error }
    func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) { throw error }
  }

  @Test(
    "What a cache, a presenter or a transport of the app says is cut and shown without secrets",
    arguments: [ErrorCode.tokenCache, .presentationFailed, .invalidResponse], [false, true])
  func ownPart(_ code: ErrorCode, isUnderlying: Bool) async throws {
    let says =
      "postgresql://server:Sec@ret-Pass@db/tokens password=hunter2 \(Self.token) \(Self.forgery)"
      + String(repeating: " on and on", count: 1_000)
    let own = ConnectorError(code, says, recoverySuggestion: says)
    let error = isUnderlying ? ConnectorError(code, "Lost.", underlying: own) : own
    let (scene, cache, part, told) = (Scene(), FailingCache(), Part(error: error), Told())
    cache.readFailure.withLock { $0 = { _ in error } }
    let environment = scene.environment(
      presenter: code == .presentationFailed ? part : nil, cache: code == .tokenCache ? cache : nil,
      transport: code == .invalidResponse ? part : nil)
    await told.callEverything(scene, environment)
    await told.call { "\(try await Connector.diagnose(settings: scene.settings(), environment: environment))" }
    let all = told.all
    for secret in ["Sec@ret", "ret-Pass", "hunter2", "eyJjYW5hcnk", "Y2FuYXJ5"] {
      #expect(!all.contains(secret), "\(secret) in \(told.logged)")
    }
    #expect(all.contains("[redacted]@db/tokens"))
    for text in told.logged {
      #expect(text.unicodeScalars.allSatisfy(PrintableText.isPrintable) && text.utf8.count < 4_000, "\(text)")
    }
  }

  // MARK: Everything works

  /// Every secret that has crossed the wire; with `isBinding` those of a page's URL as well.
  private func secrets(_ scene: Scene, isBinding: Bool = true) -> Set<String> {
    var found: Set<String> = [LocalUser.alice.password.value]
    for recorded in scene.network.requests {
      found.formUnion(["code", "code_verifier", "refresh_token", "device_code"].compactMap { recorded.form[$0] })
      if isBinding { found.formUnion(["state", "nonce", "id_token_hint"].compactMap { recorded.query[$0] }) }
      if let token = recorded.bearerToken { found.insert(token) }
      let body = recorded.response.flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0.body).object } ?? [:]
      found.formUnion(["access_token", "refresh_token", "id_token", "device_code"].compactMap { body[$0]?.string })
    }
    return found
  }

  @Test(
    "Nothing that works shows a secret of its own, and no sealed file has one",
    arguments: [LocalTenant.Shape.b2c, .entra, .openIDConnect])
  func working(_ shape: LocalTenant.Shape) async throws {
    let (directory, key) = (try TemporaryDirectory(), "canary-key-canary-key-canary-key")
    let folder = directory.url.appending(path: "cache")
    let scene = Scene(shape: shape, cache: try .files(at: folder, sealedWith: Data(key.utf8)))
    let (browser, told) = (scene.script(.signIn(.alice)), Told())
    try await scene.connector(presenter: browser).signIn()
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    #expect(files.contains { $0.contains("sealed") })
    for file in files { told.add(file) }
    await told.callEverything(scene, scene.environment(presenter: browser))
    for step in browser.steps { told.add(step) }
    for request in browser.requests { told.add(request, [request]) }
    for recorded in scene.network.requests { told.add(recorded) }
    let secrets = secrets(scene)
    for secret in secrets { if let token = try? IDToken(compact: Secret(secret)) { told.add(token) } }
    #expect(secrets.count >= 8 && told.texts.count > 30)
    expectNoTrace(of: SecretSweep(secrets.union([key])), in: told.all)
    // The state, the nonce and the hint belong into the URL of the page (RFC 6749 section 4.1.1).
    let urls = scene.network.requests.compactMap(\.request.url?.absoluteString)
      .map { url in secrets.filter { url.contains("id_token_hint=\($0)") }.reduce(url) { $0.replacing($1, with: "") } }
    expectNoTrace(of: SecretSweep(self.secrets(scene, isBinding: false)), in: urls.joined(separator: "\n"))
  }

  @Test("The API sees no id_token, no refresh token and no token of another API")
  func bearer() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    _ = try await connector.getTaskList()
    #expect(Set(scene.network.requests.compactMap(\.bearerToken)) == [try await connector.accessToken().token.value])
  }

  @Test("Options, expectations and the error of a system under an error show nothing of what is in them")
  func values() {
    let options = SignInOptions(
      loginHint: "alice@secret.example", extraParameters: ["secretName": "secretValue"],
      claimsRequest: #"{"id_token":{"secretClaim":null}}"#)
    var expectations = IDTokenExpectations(
      clientID: "x", issuer: IssuerExpectation(published: "https://contoso.example"), now: Date(), skew: .zero)
    (expectations.nonce, expectations.accessToken) = (Secret("secret-nonce"), Secret("secret-token"))
    let info = ["url": "https://login.example/?code=secret-code"]
    let error = ConnectorError(.network, "Lost.", underlying: NSError(domain: "x", code: 1, userInfo: info))
    for text in [shown(options), shown(expectations), shown(error)] { #expect(!text.contains("secret"), "\(text)") }
  }

  @Test("A presenter shows nothing of its page, while that is open and after its callback")
  func presenters() async throws {
    let (pages, opened) = AsyncStream.makeStream(of: URL.self)
    let external = ExternalBrowserPresenter { opened.yield($0) }
    let presenters: [(any SignInPresenter, String)] = [
      (external, "com.example.tasks:/callback"), (LoopbackPresenter { opened.yield($0) }, "http://127.0.0.1/callback"),
    ]
    var text = ""
    for (presenter, redirect) in presenters {
      let request = PresentationRequest(
        url: try url("https://login.example/page?nonce=secret-nonce&id_token_hint=secret-hint"),
        redirectURI: try url(redirect), state: Secret("secret-state"))
      let page = Task { try await presenter.present(request) }
      var openings = pages.makeAsyncIterator()
      _ = await openings.next()
      text += shown(presenter)
      external.resume(with: try url("com.example.tasks:/callback?code=secret-code&state=secret-state"))
      text += shown(presenter)
      page.cancel()
      _ = await page.result
      text += shown(presenter)
    }
    #expect(!text.contains("secret"), "\(text)")
  }
}
