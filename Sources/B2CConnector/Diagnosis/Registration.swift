internal import B2CCore
internal import Foundation

/// Asks a provider whether it knows the app's client ID and redirect URI, without a user.
///
/// A server shows these two mistakes in the browser only, so the app would wait for a redirect that never comes. An
/// authorize request with `prompt=none` (OpenID Connect Core 1.0 section 3.1.2.1) and a token request with an invalid code
/// bring them out; neither can sign a user in.
struct RegistrationProbe: Sendable {
  /// The answer of one endpoint.
  private enum Answer: Equatable {
    /// The request got beyond the check of the client.
    case accepted
    /// The client is accepted, and something else is refused, by the server's code.
    case refused(String)
    case unknownClient(String)
    case unknownRedirectURI(String)
    case confidentialClient(String)
    case inconclusive
  }

  let settings: ConnectorSettings
  let isMicrosoft: Bool
  let authorizationEndpoint: URL
  let tokenEndpoint: URL
  let transport: any HTTPTransport

  private let state = Self.random()

  init(
    settings: ConnectorSettings, isMicrosoft: Bool, authorizationEndpoint: URL, tokenEndpoint: URL,
    transport: any HTTPTransport
  ) {
    self.settings = settings
    self.isMicrosoft = isMicrosoft
    self.authorizationEndpoint = authorizationEndpoint
    self.tokenEndpoint = tokenEndpoint
    self.transport = transport
  }

  /// Returns what the answers say about the client ID and the redirect URI.
  func findings() async throws -> [Diagnosis.Finding] {
    let page = try await authorize()
    let token = try await redeem()
    return [client(page, token), redirect(page)] + request(page)
  }
}

// Requests.
extension RegistrationProbe {
  private func authorize() async throws -> Answer {
    let parameters: [(name: String, value: String)] = [
      ("client_id", settings.clientID), ("response_type", "code"),
      ("redirect_uri", settings.redirectURI.absoluteString), ("response_mode", "query"),
      ("scope", (["openid"] + settings.scopes.filter { $0 != "openid" }).joined(separator: " ")), ("state", state),
      ("nonce", Self.random()), ("code_challenge", Self.random()), ("code_challenge_method", "S256"),
      ("prompt", "none"),
    ]
    guard let url = try? Endpoints.appending(parameters, to: authorizationEndpoint),
      let response = try await send(TransportRequest(url: url, headers: ["Accept": "text/html"]))
    else { return .inconclusive }
    if let location = response.headers["Location"], location.hasPrefix(settings.redirectURI.absoluteString) {
      return returned(to: location)
    }
    let text = String(decoding: response.body, as: UTF8.self)
    return classify(text, codes: text, isError: response.status >= 400)
  }

  /// The server returns to registered redirect URIs only, so with its refusal it confirms both.
  private func returned(to location: String) -> Answer {
    let query = location.split(separator: "?", maxSplits: 1).dropFirst().first?.prefix { $0 != "#" } ?? ""
    let fields = Dictionary(FormEncoding.decode(query).map { ($0.name, $0.value) }) { first, _ in first }
    guard fields["state"] == state else { return .inconclusive }
    let code = Self.serviceCode(in: fields["error_description"] ?? "")
    let expected = ["login_required", "interaction_required", "consent_required", "account_selection_required"]
    let isExpected = fields["error"].map(expected.contains) ?? true
    let name = code ?? fields["error"] ?? ""
    // The server chooses the text, and the diagnosis is shown on terminals and pasted into reports.
    let shown = PrintableText(hiding: [Secret(state)], limit: 60).show(name) ?? ""
    return isExpected || Self.noSession.contains(name) ? .accepted : .refused(shown)
  }

  private func redeem() async throws -> Answer {
    let form: [(name: String, value: String)] = [
      ("grant_type", "authorization_code"), ("client_id", settings.clientID), ("code", Self.random()),
      ("redirect_uri", settings.redirectURI.absoluteString), ("code_verifier", Self.random()),
    ]
    let request = TransportRequest(
      method: .post, url: tokenEndpoint,
      headers: ["Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"],
      body: Data(FormEncoding.encode(form).utf8))
    guard let response = try await send(request),
      let answer = try? JSONReader.object(response.body), let error = answer["error"]?.string
    else { return .inconclusive }
    let described = classify(error, codes: answer["error_description"]?.string ?? "", isError: true)
    return error == "invalid_grant" && described == .inconclusive ? .accepted : described
  }

  /// A failed request says nothing about the registration; metadata's finding names a network that is down.
  private func send(_ request: TransportRequest) async throws -> TransportResponse? {
    do {
      return try await transport.send(request)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      return nil
    }
  }

  private static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }
}

// Answers.
extension RegistrationProbe {
  private static let unknownClients: Set<String> = ["AADB2C90018", "AADB2C90068", "AADB2C90285", "AADSTS700016"]
  private static let redirectURIs: Set<String> = [
    "AADB2C90006", "AADB2C90007", "AADB2C90287", "AADSTS50011", "AADSTS500113", "AADSTS900971",
  ]
  private static let confidentialClients: Set<String> = [
    "AADB2C90058", "AADB2C90079", "AADB2C90081", "AADB2C90084", "AADSTS7000218",
  ]
  private static let noSession: Set<String> = ["AADB2C90077", "AADSTS50058"]

  private static func serviceCode(in text: String) -> String? {
    text.firstMatch(of: /AAD(?:B2C|STS)[0-9]{4,8}/).map { String($0.output) }
  }

  /// Classifies a text by the service's code, or by the words of other providers.
  private func classify(_ text: String, codes: String, isError: Bool) -> Answer {
    if let code = Self.serviceCode(in: codes) {
      if Self.unknownClients.contains(code) { return .unknownClient(code) }
      if Self.redirectURIs.contains(code) { return .unknownRedirectURI(code) }
      if Self.confidentialClients.contains(code) { return .confidentialClient(code) }
    }
    // A sign-in page may contain these words too, so only an error counts.
    guard isError else { return .inconclusive }
    let words = text.lowercased()
    let namesRedirect = words.contains("redirect_uri") || words.contains("redirect uri")
    // A page that names both, such as one that repeats the request, does not tell which of them is wrong.
    guard namesRedirect != words.contains("client") else { return .inconclusive }
    if namesRedirect { return .unknownRedirectURI("") }
    let unknown = ["unauthorized_client", "not registered", "not found", "unknown", "invalid", "does not exist"]
    return unknown.contains(where: words.contains) ? .unknownClient("") : .inconclusive
  }
}

// Findings.
extension RegistrationProbe {
  private var registration: String { isMicrosoft ? "the portal" : "the app's registration" }

  private func client(_ page: Answer, _ token: Answer) -> Diagnosis.Finding {
    let check = "client ID"
    var token = token
    // Where the page knows the client, a token endpoint that refuses it without a code misses its secret.
    switch (token, page) {
    case (.unknownClient(""), .accepted), (.unknownClient(""), .refused): token = .confidentialClient("")
    default: break
    }
    for answer in [token, page] {
      switch answer {
      case .unknownClient(let code):
        return Diagnosis.Finding(
          check, .failed, "\(settings.clientID) is unknown here" + Self.bracketed(code),
          recovery: "Compare clientId with \(registration), and check that the app belongs to this authority.")
      case .confidentialClient(let code):
        return Diagnosis.Finding(
          check, .failed, "\(settings.clientID) is registered as a confidential client" + Self.bracketed(code),
          recovery: "Register the app as a public (native) client.")
      default: continue
      }
    }
    switch (page, token) {
    case (.accepted, _), (.refused, _), (.unknownRedirectURI, _), (_, .accepted):
      return Diagnosis.Finding(check, .ok, "\(settings.clientID) is known here")
    default:
      return Diagnosis.Finding(
        check, .skipped, "not checked: the answers do not tell", recovery: "Compare clientId with \(registration).")
    }
  }

  private func redirect(_ page: Answer) -> Diagnosis.Finding {
    let check = "redirect URI"
    switch page {
    case .accepted, .refused:
      return Diagnosis.Finding(check, .ok, "\(settings.redirectURI.absoluteString) is registered")
    case .unknownRedirectURI(let code):
      return Diagnosis.Finding(
        check, .failed, "\(settings.redirectURI.absoluteString) is not registered" + Self.bracketed(code),
        recovery: "Register redirectUri exactly as it is written, character by character.")
    default:
      return Diagnosis.Finding(
        check, .skipped, "not checked: the answer does not tell",
        recovery: "Compare redirectUri with \(registration), character by character.")
    }
  }

  private func request(_ page: Answer) -> [Diagnosis.Finding] {
    guard case .refused(let code) = page else { return [] }
    return [
      Diagnosis.Finding(
        "sign-in request", .warning, "the provider refuses it" + Self.bracketed(code),
        recovery: "Check the scopes, and look the code up in the provider's documentation.")
    ]
  }

  private static func bracketed(_ code: String) -> String { code.isEmpty ? "" : " [\(code)]" }
}
