internal import B2CCore
internal import Foundation

/// Asks a provider whether it knows the app's client ID and redirect URI and takes its sign-in request, without a user.
///
/// A server shows these mistakes in the browser only, so the app would wait for a redirect that never comes. Requests that
/// can sign no user in bring them out: the page that a sign-in opens; the same with `prompt=none` (OpenID Connect Core 1.0
/// section 3.1.2.1), which has to come back; an invalid code; and a made-up refresh token, which needs no redirect URI.
struct RegistrationProbe: Sendable {
  /// The answer of one endpoint.
  private enum Answer {
    /// The request got beyond the check of the client.
    case accepted
    /// Client and redirect URI are accepted, and something else is refused.
    case refused(OAuthError)
    /// A page that a user would read, and that names neither of them.
    case errorPage(OAuthError)
    case unknownClient(String)
    case unknownRedirectURI(String)
    case confidentialClient(String)
    case inconclusive

    /// Whether the page got as far as to know the client.
    var knowsClient: Bool {
      switch self {
      case .accepted, .refused, .unknownRedirectURI: true
      default: false
      }
    }

    /// Whether the client is refused without a code of the service.
    var isPlainlyUnknownClient: Bool {
      if case .unknownClient("") = self { true } else { false }
    }

    var isAccepted: Bool {
      if case .accepted = self { true } else { false }
    }

    var isInconclusive: Bool {
      if case .inconclusive = self { true } else { false }
    }
  }

  let clientID: String
  let redirectURI: String
  let isMicrosoft: Bool
  let signIn: SignInProbe
  let transport: any HTTPTransport

  /// Returns what the answers say about the client ID, the redirect URI and the request of a sign-in.
  func findings() async throws -> [Diagnosis.Finding] {
    let shown = try await ask(signIn.page)
    // A page for the user tells nothing about the registration.
    let page =
      switch shown {
      case .inconclusive, .errorPage: try await ask(signIn.silentPage)
      default: shown
      }
    let found = try await clientAndRedirect(page, try await redeem())
    return found + request(shown, isExplained: found.contains { $0.outcome == .failed })
  }

  private func clientAndRedirect(_ page: Answer, _ token: Answer) async throws -> [Diagnosis.Finding] {
    // Without a code of the service, some providers refuse a wrong redirect URI in the words for an unknown client.
    guard page.isPlainlyUnknownClient || token.isPlainlyUnknownClient, !page.knowsClient else {
      return [client(page, token), redirect(page)]
    }
    switch try await recognition() {
    case .known:
      return [client(.accepted, .inconclusive), redirect(.unknownRedirectURI(""))]
    case .unknown:
      return [client(.inconclusive, .unknownClient("")), redirect(.inconclusive)]
    case .undecided where page.isPlainlyUnknownClient:
      return [client(page, .inconclusive), redirect(page)]
    case .undecided:
      return [
        Diagnosis.Finding(
          "client ID or redirect URI", .failed, "\(clientID) or \(redirectURI) is not registered here",
          recovery: "Compare clientId and redirectUri with \(registration), character by character.")
      ]
    }
  }
}

// MARK: - Requests

extension RegistrationProbe {
  private func ask(_ page: SignInPage) async throws -> Answer {
    guard let response = try await send(TransportRequest(url: page.url, headers: ["Accept": "text/html"])) else {
      return .inconclusive
    }
    if let location = response.headers["Location"], location.hasPrefix(redirectURI) {
      return returned(to: location, from: page)
    }
    let text = String(decoding: response.body, as: UTF8.self)
    let answer = classify(text, codes: text, isError: response.status >= 400)
    // A busy server may answer otherwise later.
    guard answer.isInconclusive, (400..<500).contains(response.status), ![408, 429].contains(response.status) else {
      return answer
    }
    return .errorPage(page.refusal(status: response.status, body: response.body))
  }

  /// The server returns to registered redirect URIs only, so with its refusal it confirms both.
  private func returned(to location: String, from page: SignInPage) -> Answer {
    let query = location.split(separator: "?", maxSplits: 1).dropFirst().first?.prefix { $0 != "#" } ?? ""
    let fields = Dictionary(FormEncoding.decode(query).map { ($0.name, $0.value) }) { first, _ in first }
    guard fields["state"] == page.state else { return .inconclusive }
    guard let error = fields["error"] else { return .accepted }
    let refusal = page.refusal(error: error, description: fields["error_description"])
    // No user was asked, so the answer to a right request is that the user is needed.
    return refusal.code == .interactionRequired ? .accepted : .refused(refusal)
  }

  private func redeem() async throws -> Answer {
    guard let refusal = try await signIn.refusalOfCode() else { return .inconclusive }
    let described = classify(refusal.error ?? "", codes: refusal.code ?? "", isError: true)
    return refusal.error == "invalid_grant" && described.isInconclusive ? .accepted : described
  }

  /// The finding about the client from a request without a redirect URI.
  private enum Recognition {
    case known
    case unknown
    case undecided
  }

  /// Asks with a made-up refresh token, and again with a made-up client: where the two answers differ, ours is known.
  private func recognition() async throws -> Recognition {
    guard let own = try await signIn.refusalOfRefreshToken() else { return .undecided }
    if own.error == "invalid_client" { return .unknown }
    guard let other = try await signIn.refusalOfRefreshToken(clientID: UUID().uuidString.lowercased()) else {
      return .undecided
    }
    if own.error != other.error || own.status != other.status { return .known }
    return own.error == "unauthorized_client" ? .unknown : .undecided
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
}

// MARK: - Answers

extension RegistrationProbe {
  /// Classifies a text by the service's code, or by the words of other providers.
  private func classify(_ text: String, codes: String, isError: Bool) -> Answer {
    if let (code, fault) = RegistrationFault.find(in: codes) {
      switch fault {
      case .unknownClient: return .unknownClient(code)
      case .unknownRedirectURI: return .unknownRedirectURI(code)
      case .confidentialClient: return .confidentialClient(code)
      }
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

// MARK: - Findings

extension RegistrationProbe {
  private var registration: String { isMicrosoft ? "the portal" : "the app's registration" }

  private func client(_ page: Answer, _ token: Answer) -> Diagnosis.Finding {
    let check = "client ID"
    var token = token
    // Where the page knows the client, a token endpoint that refuses it without a code misses its secret, unless the
    // redirect URI is what it refuses.
    switch (token, page) {
    case (.unknownClient(""), .accepted), (.unknownClient(""), .refused): token = .confidentialClient("")
    case (.unknownClient(""), .unknownRedirectURI): token = .inconclusive
    default: break
    }
    for answer in [token, page] {
      switch answer {
      case .unknownClient(let code):
        return Diagnosis.Finding(
          check, .failed, "\(clientID) is unknown here" + Self.bracketed(code),
          recovery: "Compare clientId with \(registration), and check that the app belongs to this authority.")
      case .confidentialClient(let code):
        return Diagnosis.Finding(
          check, .failed, "\(clientID) is registered as a confidential client" + Self.bracketed(code),
          recovery: "Register the app as a public (native) client.")
      default: continue
      }
    }
    guard page.knowsClient || token.isAccepted else {
      return Diagnosis.Finding(
        check, .skipped, "not checked: the answers do not tell", recovery: "Compare clientId with \(registration).")
    }
    return Diagnosis.Finding(check, .ok, "\(clientID) is known here")
  }

  private func redirect(_ page: Answer) -> Diagnosis.Finding {
    let check = "redirect URI"
    switch page {
    case .accepted, .refused:
      return Diagnosis.Finding(check, .ok, "\(redirectURI) is registered")
    case .unknownRedirectURI(let code):
      return Diagnosis.Finding(
        check, .failed, "\(redirectURI) is not registered" + Self.bracketed(code),
        recovery: "Register redirectUri exactly as it is written, character by character.")
    default:
      return Diagnosis.Finding(
        check, .skipped, "not checked: the answer does not tell",
        recovery: "Compare redirectUri with \(registration), character by character.")
    }
  }

  /// Returns a finding where the provider refuses the request of a sign-in for another reason than the registration.
  private func request(_ shown: Answer, isExplained: Bool) -> [Diagnosis.Finding] {
    let check = "sign-in request"
    let advice = "Check the scopes, and look the code up in the provider's documentation."
    switch shown {
    case .refused(let error):
      // Anything else may be trouble that passes.
      let isLasting = [.configuration, .protocolViolation].contains(error.code)
      return [
        Diagnosis.Finding(
          check, isLasting ? .failed : .warning,
          "the provider refuses it: \(error.message)" + Self.bracketed(error.server?.code ?? ""),
          recovery: error.recoverySuggestion ?? advice)
      ]
    case .errorPage(let error) where !isExplained:
      return [
        Diagnosis.Finding(
          check, .failed, "the provider refuses it: \(error.message)", recovery: error.recoverySuggestion ?? advice)
      ]
    default: return []
    }
  }

  private static func bracketed(_ code: String) -> String { code.isEmpty ? "" : " [\(code)]" }
}
