internal import Foundation

/// Makes the single checks of a diagnosis.
struct Doctor: Sendable {
  typealias Finding = Diagnosis.Finding

  let settings: Settings
  /// The presenter the app uses, whether or not it serves the redirect URI.
  let presenter: any SignInPresenter
  let cache: Result<any TokenCache, any Error>
  let transport: any HTTPTransport
  /// The connector, or why there is none.
  let connector: Result<Connector, any Error>

  /// Makes all checks, in the order a person should mend what they find.
  func diagnosis() async throws -> Diagnosis {
    var findings = Self.findings(of: settings) + [authority()]
    findings += try await provider()
    findings.append(redirect())
    findings.append(try await cacheFinding())
    findings.append(try await taskAPI())
    return Diagnosis(findings)
  }

  private func authority() -> Finding {
    let authority = settings.authority
    if case .failure(let error) = connector { return Self.finding(of: error, check: "authority") }
    let policies = settings.policies.all.map(\.id)
    let names = policies.isEmpty ? authority.policy.map { [$0.id] } ?? [] : policies
    return Finding(
      "authority", .ok,
      "\(authority.baseURL.absoluteString), \(authority.kind(for: settings.policies.all.first).rawValue), "
        + (names.isEmpty ? "no policies" : "policies \(names.joined(separator: ", "))"))
  }

  private func redirect() -> Finding {
    let redirectURI = settings.redirectURI
    do {
      try presenter.validate(redirectURI: redirectURI)
      return Finding("redirect URI", .ok, "\(redirectURI.absoluteString) is served by \(type(of: presenter))")
    } catch {
      let known = error as? OAuthError
      return Finding(
        "redirect URI", .failed, known?.message ?? "\(type(of: presenter)) cannot serve \(redirectURI.absoluteString)",
        mend: known?.recoverySuggestion ?? "Use another presenter, or register another redirect URI.")
    }
  }

  /// A task API that is there answers 401 to a request without a token.
  private func taskAPI() async throws -> Finding {
    let configured = (try? connector.get())?.tasks?.configuration.baseURL
    guard let url = configured ?? settings.taskWebAPI else {
      return Finding("task API", .skipped, "the settings name none")
    }
    do {
      let response = try await transport.send(TransportRequest(url: url, headers: ["Accept": "application/json"]))
      switch response.status {
      case 401: return Finding("task API", .ok, "answers 401 to no token")
      case 200..<300:
        return Finding(
          "task API", .warning, "answers \(response.status) to no token",
          mend: "The API lets anybody in: check its authentication.")
      case 300..<400:
        return Finding(
          "task API", .failed, "answers \(response.status), a redirect, to which no token is sent",
          mend: "Write the address it redirects to as taskWebAPI.")
      case 404: return Finding("task API", .failed, "answers 404", mend: "Check the path of taskWebAPI.")
      case 500...:
        return Finding(
          "task API", .failed, "answers \(response.status)", mend: "Look into the log of the API's server.")
      default:
        return Finding(
          "task API", .warning, "answers \(response.status) to no token",
          mend: "A 401 was expected: check that taskWebAPI is the list of tasks.")
      }
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      return Finding(
        "task API", .failed, (error as? TransportError)?.message ?? "the transport failed with \(type(of: error))",
        mend: "Check the address and the port of taskWebAPI.")
    }
  }
}
