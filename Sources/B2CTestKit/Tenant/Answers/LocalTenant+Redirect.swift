internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// The ways back to the app (RFC 6749 section 4.1.2).
extension LocalTenant {
  /// Gives a code for a person.
  func finish(
    _ request: AuthorizeRequest, _ session: LocalSession, isNewUser: Bool, _ call: LocalTenantCall
  ) -> TransportResponse {
    let code = RandomText.make()
    let grant = LocalGrant(
      id: RandomText.guid(), userID: session.userID, clientID: request.clientID, policyID: call.policy?.id,
      scopes: request.scopes, authenticatedAt: session.authenticatedAt, isNewUser: isNewUser)
    let behavior = state.withLock { state in
      state.codes[code] = IssuedCode(grant: grant, request: request, issuedAt: call.now)
      state.counters.codesIssued += 1
      return state.behavior
    }
    var pairs = echo(request.state, behavior.state).map { [("state", $0)] } ?? []
    pairs.append(("code", code))
    if shape == .entra || shape == .ciam { pairs.append(("session_state", RandomText.guid())) }
    if let issuer = callbackIssuer(behavior, call) { pairs.append(("iss", issuer)) }
    var response = redirect(request.redirectURI, pairs, request.responseMode, call)
    if case .identityProvider("facebook.com")? = call.policy?.kind, request.responseMode == .query {
      // Facebook's own mark, which survives on the way to the app.
      response.headers["Location"] = response.headers["Location"].map { $0 + "#_=_" }
    }
    return response
  }

  /// Tells a refusal to the app.
  func redirect(
    refusing error: any Error, _ request: AuthorizeRequest, _ call: LocalTenantCall
  ) -> TransportResponse {
    redirect(
      refusing: error, uri: request.redirectURI, state: request.state, mode: request.responseMode, call)
  }

  /// Tells a refusal to the app, for a request that is not whole.
  func redirect(
    refusing error: any Error, uri: String, state requestState: String?,
    mode: AuthorizeRequest.ResponseMode? = nil, _ call: LocalTenantCall
  ) -> TransportResponse {
    guard let refusal = error as? LocalRefusal else { return refusalPage(error, call) }
    let behavior = behavior
    var pairs = [("error", refusal.error), ("error_description", describe(refusal, call))]
    if let text = echo(requestState, behavior.state) { pairs.append(("state", text)) }
    if let issuer = callbackIssuer(behavior, call) { pairs.append(("iss", issuer)) }
    let asked = call.query["response_mode"].flatMap(AuthorizeRequest.ResponseMode.init)
    return redirect(uri, pairs, mode ?? asked ?? .query, call)
  }

  /// Shows a refusal in the page, for when there is nowhere to redirect to.
  func refusalPage(_ error: any Error, _ call: LocalTenantCall) -> TransportResponse {
    let refusal = error as? LocalRefusal
    let lines = refusal.map { describe($0, call).split(whereSeparator: \.isNewline).map(String.init) }
    return LocalHTML.response(
      LocalPage(title: "Sorry, we cannot sign you in", text: lines ?? ["Something went wrong."]), status: 400)
  }

  func redirect(
    _ uri: String, _ pairs: [(name: String, value: String)], _ mode: AuthorizeRequest.ResponseMode,
    _ call: LocalTenantCall
  ) -> TransportResponse {
    // `+` for spaces, as the service writes them.
    let text = FormEncoding.encode(pairs).replacingOccurrences(of: "%20", with: "+")
    let location: String
    switch mode {
    case .query: location = uri + (uri.contains("?") ? "&" : "?") + text
    case .fragment: location = uri + "#" + text
    case .formPost:
      return LocalHTML.response(
        LocalPage(
          title: "Back to the app", formAction: uri, hidden: pairs,
          buttons: [LocalPage.Button(action: "", label: "Continue", isSecondary: false)]))
    }
    return TransportResponse(
      status: 302,
      headers: [
        "Location": location, "Cache-Control": "no-store", "client-request-id": call.correlationID,
        "Referrer-Policy": "no-referrer",
      ])
  }

  func echo(_ value: String?, _ echo: Behavior.Echo) -> String? {
    switch echo {
    case .unchanged: value
    case .dropped: nil
    case .replaced(let other): other
    }
  }

  private func callbackIssuer(_ behavior: Behavior, _ call: LocalTenantCall) -> String? {
    echo(shape == .openIDConnect ? issuer(origin: call.origin) : nil, behavior.callbackIssuer)
  }
}
