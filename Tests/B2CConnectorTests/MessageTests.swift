import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Every message of an error, side by side: what was done, and the code, what failed and what to do.
///
/// The messages about settings and authorities are in ``SettingsMessageTests``, those of a diagnosis in
/// ``DiagnosisTests``, and those of the provider's own codes in `ServiceCodeTests`. The calls are in ``calls``.
@Suite("Messages of errors", .hangLimit)
struct MessageTests {
  // After the code come the status, and whether the error is passing (`later`), asks for a sign-in (`interaction`), leaves
  // the outcome unknown, and has the correlation id of a request that was sent (`id`), which generic issuers do not get.
  // `…` stands for any text, METADATA and TASKS for their URLs, and KIND for the advice about the kind of the authority.
  // Between the name and the message may be the wrong response: its status and text, or its fields that are other ones.
  // What begins with `issuer:` happens at a provider that is not Microsoft's, so it must not name Microsoft's things.
  static let texts = """
    allowed API over http | configuration: No token can be sent to http://api.example/x, a URL in `allowedAPIs`. Use an https URL. Plain http is allowed only to this machine.
    policy at a host that Azure AD B2C has left | configuration: Azure AD B2C no longer runs policies on login.microsoftonline.com, only on <tenant>.b2clogin.com. Write "https://contoso.b2clogin.com/contoso.onmicrosoft.com/". Change the authority. The redirect URI stays the same.
    policy id with a space | configuration: The policy id is empty, longer than 128 characters, or contains characters that no policy has. Copy the id from the portal, for example B2C_1_SignIn.
    kind of policy that the settings do not name | configuration: The settings name no policy of the kind profileEdit. Add it to the settings, or pass the policy itself.
    sign-in without a policy | configuration: The Azure AD B2C authority cannot be used without a policy. Name a policy, for example B2C_1_SignIn.
    presenter of another redirect URI | unsupportedRedirectURI: LoopbackPresenter cannot receive the redirect URI com.example.tasks:/callback. Use WebAuthenticationPresenter on Apple platforms, or ExternalBrowserPresenter.
    presenter and a scheme without a dot | unsupportedRedirectURI: LoopbackPresenter cannot receive the redirect URI myapp:/x. Use WebAuthenticationPresenter on Apple platforms, or ExternalBrowserPresenter. A scheme with a dot, for example com.example.app, is safer (RFC 8252 section 7.1).
    presenter and a loopback redirect | unsupportedRedirectURI: ExternalBrowserPresenter cannot receive the redirect URI http://localhost/x. Use LoopbackPresenter.
    presenter and an https redirect | unsupportedRedirectURI: LoopbackPresenter cannot receive the redirect URI https://app.example.com/x. Use WebAuthenticationPresenter from iOS 17.4 and macOS 14.4 on, or ExternalBrowserPresenter if the app claims it as a universal link.
    presenter and a redirect that leads nowhere | unsupportedRedirectURI: LoopbackPresenter cannot receive the redirect URI http://app.example.com/. No presenter can receive it. Register http://localhost:<port> for LoopbackPresenter, or a scheme of the app, for example com.example.app:/callback.
    reserved parameter | configuration: The extra parameter `state` has a name that is reserved or not visible ASCII. Use the option of `SignInOptions` with that name, or another name.
    claims request that is not JSON | configuration: The claims request is not a JSON object. Pass the `claims` of an error unchanged, or the text of a JSON object.
    device code at Azure AD B2C | unsupported: The authority does not offer device codes. Sign in with a presenter, which opens a browser.
    token without an API's scope | missingAPIScope: There is no access token, because none of the scopes names an API: openid. Add the API's scope, or the client ID itself, to `scopes` in the settings.
    no user | interactionRequired interaction: No user is signed in. Sign in first.
    unknown user | interactionRequired interaction: The user is not signed in. Sign in first.
    no task API | configuration: The settings name no task API. Add taskWebAPI to the settings.
    process that must not refresh | refreshNotAllowed: There is no valid access token, and this process must not request one. Open the app, which requests a new one. If this process may refresh, set `refreshesTokens`. An app extension never refreshes.
    user who does not agree | userCancelled: The user did not agree to a refresh, because the app's `beforeRefresh` threw an error. Repeat the call when the user wants to continue.
    no refresh token | interactionRequired interaction: There is no refresh token, so the access token cannot be renewed without the user. Sign in again. To get a refresh token, request offline_access if the provider offers it.
    session that has ended | interactionRequired interaction: The session has expired and cannot be renewed without the user. Sign in again.
    user who signs out meanwhile | interactionRequired interaction: The user has signed out. Sign in again.
    foreign origin | originNotAllowed: No token may be sent to https://evil.example, only to https://tasks.example. Add it to `allowedAPIs` if it may see the token. Plain http is for this machine only.
    body of a GET | configuration: A GET request cannot carry a body. Use another method, or put the values into the URL's query.
    body that is a stream | configuration: The request's body is a stream. Use `httpBody`.
    task without a title | invalidItem: The task's title is empty. Set `itemName`.
    long title | invalidItem: The task's title has 65537 of at most 65536 bytes. Shorten it.
    number that is not finite | invalidItem: The task cannot be written as JSON, because a number in its unknown fields is not finite.
    update of a task without an id | invalidItem: The task has no id (_id), so the server cannot find it. Use a task from a list, or the task that `addTask` returned.
    id that is no part of a URL | invalidItem: The task's id “.” cannot be part of a URL.
    deletion of a task without a title | invalidItem: The task has no title, so the server could delete all tasks. Use a task from a list.
    task API over http | configuration: The base URL http://api.example/tasks of the task server cannot be used. Use https, or http to this machine, without user name, password and fragment.
    part of the app that throws | other: A part that your app supplied, for example its cache or a closure, threw Oops. Look at the error's `underlying`.
    cache that throws | tokenCache later: The token cache could not be read.
    cache at an https URL | tokenCache: The token cache's directory must be a file URL, but its scheme is https. Use URL(fileURLWithPath:).
    short key of a cache | tokenCache: The key of the token cache must have 32 bytes, but this one has 16. Use 32 random bytes, not a password.
    browser that the user closed | userClosedBrowser id: The browser was closed.
    another user than the one that was asked for | wrongUser id: Another user signed in than the one in `options.user`. Sign in as that user. With `prompt: .login` the page ignores the browser's session.
    another user than the settings' | wrongUser id: Another user signed in than the `userId` of the settings. Sign in as that user, or remove `userId` from the settings.
    user without an address | wrongUser id: The id_token has no address or user name that can be compared with the `userId` of the settings. Add the claim Email Addresses to the user flow (or the optional claim email), or write the object ID as userId.
    browser that cannot be opened | presentationFailed: No browser.
    sign-in that began with other settings | configuration: The sign-in began with another authority, client ID or redirect URI. Begin the sign-in again, and finish it with the same settings.
    sign-in that began long ago | timedOut: The sign-in began more than an hour ago. Begin the sign-in again.
    no metadata | metadata 404 | configuration 404: The request for the metadata document of the policy B2C_1_SignIn failed with status 404: GET METADATA. Check the authority, the tenant and the name of the policy B2C_1_SignIn in the settings.
    metadata of a busy server | metadata 503 | serviceUnavailable 503 later: The request for the metadata document of the policy B2C_1_SignIn failed with status 503: GET METADATA. Try again later.
    metadata that take too long | metadata 408 | timedOut 408 later: The request for the metadata document of the policy B2C_1_SignIn failed with status 408: GET METADATA. Try again later.
    too much metadata | metadata 429 | throttled 429 later: The request for the metadata document of the policy B2C_1_SignIn failed with status 429: GET METADATA. Try again later.
    metadata elsewhere | metadata 302 | invalidResponse 302: The request for the metadata document of the policy B2C_1_SignIn failed with status 302, a redirect, which is not followed: GET METADATA. Check the authority, the tenant and the name of the policy B2C_1_SignIn in the settings.
    device that is offline | network later: No response to GET METADATA: contoso.b2clogin.com refused the connection. Check the connection, then try again.
    lost token response | network later id: No response to POST …: The connection to contoso.b2clogin.com was lost before the response was complete. Check the connection, then try again.
    damaged signature | invalidResponse id: The id_token is refused: its signature is not the issuer's.
    callback of another sign-in | invalidResponse id: The callback does not contain the state of this sign-in. Start the sign-in again, and use each callback only once.
    issuer: callback of another sign-in | invalidResponse: The callback does not contain the state of this sign-in. Start the sign-in again, and use each callback only once.
    metadata that are a page | metadata 200 <html> | invalidResponse: The metadata document is HTML or XML instead of JSON. Check the authority in the settings. A proxy or a sign-in page may have answered instead.
    metadata without keys | metadata 200 {} | invalidResponse: The metadata document has no issuer or no https jwks_uri.
    key set that is a page | keys 200 <html> | invalidResponse id: The issuer's key set is not a JSON object with an array of keys.
    callback to another address | invalidResponse id: The callback URL does not match the redirect URI. Pass on only URLs that start with the redirect URI, and do not change them.
    callback with another state | invalidResponse id: The callback does not contain the state of this sign-in. Start the sign-in again, and use each callback only once.
    callback without a code | invalidResponse id: The callback contains neither a code nor an error.
    callback with two codes | invalidResponse id: The callback contains a parameter twice.
    callback of a cancelled page | userCancelledInPage id: The user cancelled on the page, or declined to consent.
    token response that is not JSON | token 200 x | invalidResponse 200 id: The token response is not a JSON object.
    token response without tokens | token 200 {} | invalidResponse 200 id: The token response has no token.
    token response without an id_token | tokens {"id_token": null} | invalidResponse id: The token response has no id_token, although openid was requested.
    access token that is a number | tokens {"access_token": 1} | invalidResponse 200 id: The access_token of the token response is not a string, or is empty.
    access token with a space | tokens {"access_token": "a b"} | invalidResponse 200 id: The access_token of the token response has characters that an Authorization header cannot contain.
    token of another type | tokens {"token_type": "mac"} | invalidResponse 200 id: The token_type of the token response is not Bearer.
    no access token | missingAPIScope id: The provider issued no access token for https://contoso.onmicrosoft.com/tasks/read https://contoso.onmicrosoft.com/tasks/write. Grant the app this permission in the portal (API permissions, with admin consent).
    token endpoint that is busy | token 503 | serviceUnavailable 503 later id: The provider answered 503 without an OAuth error. Try again later.
    token endpoint that sends a page | token 400 <html> | invalidResponse 400 id: The provider answered 400 without an OAuth error. Check the authority in the settings.
    refused client | token 400 {"error": "invalid_client"} | configuration 400 id: The provider refused with invalid_client. The policy was B2C_1_SignIn. Check the client ID, and register the app as a public client, because no client secret is sent.
    refused scope | token 400 {"error": "invalid_scope"} | configuration 400 id: The provider refused with invalid_scope. The scopes were …. The policy was B2C_1_SignIn. Compare the scopes with those that the provider offers to this client.
    refused API | token 400 {"error": "invalid_target"} | configuration 400 id: The provider refused with invalid_target. The scopes were …. The policy was B2C_1_SignIn. Compare the API's name in the scopes with the API's registration, which must exist where the user signs in.
    refused user | token 400 {"error": "access_denied"} | accessDenied 400 id: The provider refused with access_denied. Show the user the server's words. Another user can sign in with `prompt: .login`.
    policy that is gone | configuration 404 id: The policy B2C_1_SignIn, which signed the user in, no longer has a token endpoint. Check that the tenant still has this policy, or name the policy that replaces it in the settings.
    refresh of another user | interactionRequired interaction: The id_token of the refresh names another user than the sign-in. Sign in again.
    id_token without a user | claims {"sub": "Not supported currently. Use oid claim.", "oid": null} | invalidResponse id: The id_token is refused: its sub refers to oid, which is missing. Add the claim User's Object ID to the user flow.
    id_token of another policy | claims {"tfp": "B2C_1_Other"} | invalidResponse id: The id_token is refused: its policy is not 'B2C_1_SignIn'. Check that the sign-in page and the token request used the same policy.
    id_token without a policy | claims {"tfp": null, "acr": null} | invalidResponse id: The id_token is refused: it does not name a policy. Check that the sign-in page and the token request used the same policy.
    issuer: metadata of another issuer | document {"issuer": "https://evil.example"} | invalidResponse: The metadata names the issuer https://evil.example, which does not belong to the authority https://contoso.example. Check the authority in the settings. KIND
    issuer: metadata without a token endpoint | document {"token_endpoint": null} | invalidResponse: The metadata document has no https authorization_endpoint or token_endpoint. KIND
    issuer: metadata with a reserved parameter | document {"authorization_endpoint": "https://contoso.example/authorize?client_id=x"} | invalidResponse: The metadata's authorization_endpoint contains client_id, a parameter of the protocol. Check the authority in the settings, or have the issuer publish the endpoint without it. KIND
    issuer: no keys | keys 200 {"keys": []} | invalidResponse later: The id_token is refused: the issuer publishes no key with the kid that begins with '…'. Try again in a few seconds, because the issuer may have new keys that it has not published everywhere yet.
    issuer: key for encryption | invalidResponse: The id_token is refused: the issuer's key is not for signatures.
    issuer: callback without iss | invalidResponse: The callback has no iss, although the issuer promises one (RFC 9207 section 2.4).
    issuer: callback of another issuer | invalidResponse: The callback comes from an issuer that was not asked (RFC 9207 section 2.4).
    issuer: id_token of one part | tokens {"id_token": "x"} | invalidResponse: The id_token is refused: it must have three parts, but it has 1.
    issuer: long id_token | invalidResponse: The id_token is refused: it has more than 65536 bytes. Have the provider put fewer claims into it, for example not the user's groups.
    issuer: encrypted id_token | tokens {"id_token": "e30.e30.e30.e30.e30"} | invalidResponse: The id_token is refused: it has the five parts of an encrypted token.
    issuer: header with a key twice | invalidResponse: The id_token is refused: its header has a key twice at byte ….
    issuer: header with crit | header {"crit": ["x"]} | invalidResponse: The id_token is refused: its header has crit.
    issuer: access token as an id_token | header {"typ": "at+jwt"} | invalidResponse: The id_token is refused: its typ is 'at+jwt', not JWT.
    issuer: unsigned id_token | invalidResponse: The id_token is refused: its alg 'none' is not allowed here. Allow the algorithm only if this issuer is known to sign with it.
    issuer: damaged signature | invalidResponse: The id_token is refused: its signature is not the issuer's.
    issuer: id_token of another issuer | claims {"iss": "https://evil.example"} | invalidResponse: The id_token is refused: its iss 'https://evil.example' is another issuer. Check that the authority in the settings is the one that issued the token.
    issuer: id_token for another client | claims {"aud": "other"} | invalidResponse: The id_token is refused: its aud is another client. Check that the client ID is the one registered for this app.
    issuer: id_token for two clients | invalidResponse: The id_token is refused: it is also for 'other'. Check that the client ID is the one registered for this app.
    issuer: id_token that another client got | claims {"azp": "other"} | invalidResponse: The id_token is refused: its azp is another client. Check that the client ID is the one registered for this app.
    issuer: id_token without an end | claims {"exp": null} | invalidResponse: The id_token is refused: its exp is missing or is not a time.
    issuer: expired id_token | claims {"exp": 1000} | invalidResponse: The id_token is refused: it expired … seconds ago. Compare this device's clock with the server's.
    issuer: id_token for later | claims {"nbf": 4000000000} | invalidResponse: The id_token is refused: it becomes valid in … seconds. Compare this device's clock with the server's.
    issuer: id_token from the future | claims {"iat": 4000000000} | invalidResponse: The id_token is refused: it was issued … seconds in the future. Compare this device's clock with the server's.
    issuer: id_token without a nonce | claims {"nonce": null} | invalidResponse: The id_token is refused: it has no nonce.
    issuer: id_token of another sign-in | claims {"nonce": "other"} | invalidResponse: The id_token is refused: its nonce is not the one sent.
    issuer: id_token without a subject | claims {"sub": null} | invalidResponse: The id_token is refused: it has no sub. Have the provider add the claim sub to the id_token.
    issuer: id_token of another access token | claims {"at_hash": "x"} | invalidResponse: The id_token is refused: its at_hash is not that of the access token.
    issuer: no access token | missingAPIScope: The provider issued no access token for https://contoso.onmicrosoft.com/tasks/read https://contoso.onmicrosoft.com/tasks/write. Allow the app these scopes where it is registered.
    issuer: address that is not verified | wrongUser: The id_token has no address or user name that can be compared with the `userId` of the settings. Add the scope email to the settings, or write the user's subject (sub) as userId. An address counts only if the provider sends email_verified.
    issuer: userinfo of a busy server | userinfo 503 | serviceUnavailable 503 later: The userinfo endpoint answered 503.
    issuer: userinfo that is no object | userinfo 200 [] | invalidResponse: The userinfo response is not a JSON object with a sub. Have the provider send userinfo as plain JSON for this client.
    issuer: userinfo of another user | userinfo 200 {"sub": "mallory"} | invalidResponse: The userinfo response is about another user than the id_token.
    issuer: no device codes | unsupported: The authority does not offer device codes. Sign in with a presenter, which opens a browser.
    issuer: no sign-out page | unsupported: The authority offers no way to end the session in the browser. Remove only the tokens, or sign in with a browser session that shares no cookies.
    issuer: nobody signed in | interactionRequired interaction: No user is signed in. Sign in first.
    issuer: API elsewhere | api 302 | invalidResponse 302: The server answered 302 to GET TASKS: a redirect, which is not followed. Use the final URL as the base URL.
    issuer: API refuses the token | api 401 Bearer error="invalid_token" | unauthorized 401: The API answered 401 (invalid_token) to a new token too. Check that the token's audience and issuer are those that the API expects.
    issuer: API refuses the token once more | unauthorized 401: The API answered 401 (invalid_token), and there is no newer token to send. The API refused the token although it is new. The SDK renewed it, or tried to, less than a minute ago. `accessToken(forceRefresh: true)` or a sign-in shows whether the session has ended. If it has not, check that the token's audience and issuer are those that the API expects.
    issuer: API wants claims | api 401 Bearer error="insufficient_claims", claims="e30=" | claimsRequired 401: The API answered 401, because it wants a token with more claims. Get a token with the error's `claims`. If that asks for a sign-in, sign in with them.
    issuer: API wants a scope | api 403 Bearer error="insufficient_scope", scope="admin" | insufficientScope 403: The API answered 403, because the token lacks the scope “admin”. Get a token with that scope.
    issuer: API answers 403 | api 403 | forbidden 403: The server answered 403 to GET TASKS: the user is not allowed to do this.
    issuer: API answers 404 | api 404 | notFound 404: The server answered 404 to GET TASKS: nothing exists at this URL. Check the path of the base URL.
    issuer: API answers 404 to an update | notFound 404: The server answered 404 to PUT TASKS/1: the task does not exist, or the server does not support updating. Use another server. Those of the tutorial cannot update tasks.
    issuer: API answers 404 to a deletion | notFound 404: The server answered 404 to DELETE TASKS/1: the task does not exist, or the server does not support deleting by id. Choose the dialect of the server. `.rest` deletes by id, and the others delete by title.
    issuer: API answers 405 | api 405 | unsupported 405: The server answered 405 to GET TASKS: it does not support listing. Check the path of the base URL.
    issuer: API answers 408 | api 408 | timedOut 408 later: The server answered 408 to GET TASKS: the request took too long.
    issuer: API answers 409 | api 409 | conflict 409: The server answered 409 to GET TASKS: the request conflicts with its state or lacks a field. If the code is MissingTask, choose the other dialect.
    issuer: API answers 413 | api 413 | tooLarge 413: The server answered 413 to GET TASKS: the request is too large. Shorten the task's title.
    issuer: API answers 418 | api 418 | server 418: GET TASKS failed with status 418.
    issuer: API answers 429 | api 429 | throttled 429 later: The server answered 429 to GET TASKS: too many requests. Wait, then try again.
    issuer: API answers 500 | api 500 | serviceUnavailable 500 later: GET TASKS failed with status 500.
    issuer: API sends a page | api 200 <html> | invalidResponse 200: The server answered 200 to GET TASKS: the response is HTML or XML instead of JSON. Check the base URL. A proxy or a page may have answered.
    issuer: API sends no list | api 200 {} | invalidResponse 200: The server answered 200 to GET TASKS: the response is an object, not a list. Check that the base URL is that of a list of tasks.
    issuer: API sends a list of numbers | api 200 [1] | invalidResponse 200: The server answered 200 to GET TASKS: [0] is a number, not an object. Check that the base URL is that of a list of tasks.
    issuer: API sends a number as an id | api 200 [{"_id": 1, "task": "x"}] | invalidResponse 200: The server answered 200 to GET TASKS: [0]._id is a number, not a string. Check that the base URL is that of a list of tasks.
    issuer: API sends a task without a title | api 200 [{}] | invalidResponse 200: The server answered 200 to GET TASKS: [0] has no title (task or Text). Check that the base URL is that of a list of tasks.
    """

  private static let abbreviations = [
    "METADATA": "https://contoso.b2clogin.com/contoso.onmicrosoft.com/v2.0/.well-known/openid-configuration",
    "TASKS": "https://tasks.example/tasks",
    "KIND":
      "Without the key `authorityKind`, the authority counts as `openIDConnect`. If that is wrong, set the key to "
      + "`ciam` for External ID on a custom domain.",
  ]

  @Test("A call", arguments: texts.split(separator: "\n").map(String.init))
  func call(_ row: String) async throws {
    let parts = row.components(separatedBy: " | ")
    let isPlainIssuer = row.hasPrefix("issuer:")
    let scene = Scene(shape: isPlainIssuer ? .openIDConnect : .b2c)
    let call = try parts.count == 3 ? Self.call(answered: parts[1]) : #require(Self.calls[parts[0]], "\(parts[0])")
    let error = try await #require(throws: ConnectorError.self) { try await call(scene) }
    let expected = Self.abbreviations.reduce(parts[parts.count - 1]) { $0.replacing($1.key, with: $1.value) }
    #expect(isText(message(of: error), expected), "\(message(of: error))")
    #expect(errorTextFaults(error, isPlainIssuer: isPlainIssuer) == [], "\(error)")
  }

  @Test("Every call has its message")
  func complete() {
    let rows = Self.texts.split(separator: "\n").map { $0.components(separatedBy: " | ") }.filter { $0.count == 2 }
    #expect(rows.map { $0[0] }.sorted() == Self.calls.keys.sorted())
    #expect(Self.networkCodes.count == Self.network.split(separator: "\n").count)
  }

  // MARK: The network

  // The messages about GET https://login.example/x, one for each of these codes of the system.
  static let networkCodes: [URLError.Code] = [
    .timedOut, .cannotFindHost, .cannotConnectToHost, .notConnectedToInternet, .networkConnectionLost, .cancelled,
    .secureConnectionFailed, .serverCertificateUntrusted, .cannotParseResponse, .badURL, .dataLengthExceedsMaximum,
    .appTransportSecurityRequiresSecureConnection,
  ]
  static let network = """
    timedOut later: NONE login.example was silent for 15.0 seconds, or took more than 30.0 seconds in all. AGAIN
    network later: NONE The host name of login.example cannot be resolved. AGAIN A Mac app with the App Sandbox also needs Outgoing Connections (Client), under Signing & Capabilities.
    network later: NONE login.example refused the connection. AGAIN
    network later: NONE This device is not connected to the internet. AGAIN
    network later: NONE The connection to login.example was lost before the response was complete. AGAIN
    network: NONE The transport cancelled the request to login.example.
    network: NONE The server at login.example did not answer with TLS, or refused the handshake. Check the scheme and the port of the address, because https needs a server that speaks TLS.
    network: NONE The TLS handshake with login.example failed, or its certificate is not trusted.
    invalidResponse: NONE The response of login.example is not HTTP.
    configuration: NONE The system cannot open the URL of login.example.
    tooLarge: The response to GET https://login.example/x is larger than the 1048576 bytes that are allowed. Raise `maximumBodyBytes` in the limits, or let the server send less.
    configuration: NONE App Transport Security refuses http to login.example. Use https. While you develop, set NSAllowsLocalNetworking under NSAppTransportSecurity in Info.plist.
    """

  private func error(_ code: URLError.Code) throws -> ConnectorError {
    ConnectorError(URLError(code), URLRequest(url: try url("https://login.example/x")), .standard)
  }

  @Test(
    "An error of the network",
    arguments: zip(networkCodes, network.split(separator: "\n").map(String.init)))
  func ofTheNetwork(_ code: URLError.Code, _ text: String) throws {
    let expected = text.replacing("NONE", with: "No response to GET https://login.example/x:")
      .replacing("AGAIN", with: "Check the connection, then try again.")
    #expect(message(of: try error(code)) == expected)
  }

  @Test("No error of the network has a fault in its text")
  func allNetwork() throws {
    for number in -3_010 ... -990 {
      // Foundation's initialiser fails on Linux only. App Transport Security is of Apple's systems alone.
      let code: URLError.Code? = URLError.Code(rawValue: number)
      guard let code, code != .appTransportSecurityRequiresSecureConnection else { continue }
      #expect(errorTextFaults(try error(code), isPlainIssuer: true) == [], "\(number)")
    }
  }
}

/// What an error says: its code, its traits, what failed, and what to do.
func message(of error: ConnectorError) -> String {
  let traits = [
    error.status.map(String.init), error.isRetryable ? "later" : nil, error.needsInteraction ? "interaction" : nil,
    error.outcomeIsUnknown ? "unknown" : nil, error.correlationID == nil ? nil : "id",
  ]
  let head = ([error.code.rawValue] + traits.compactMap(\.self)).joined(separator: " ")
  return ["\(head): \(error.message)", error.recoverySuggestion].compactMap(\.self).joined(separator: " ")
}

/// Whether a text is as it is expected, with any text for each `…`.
func isText(_ text: String, _ expected: String) -> Bool {
  let parts = expected.components(separatedBy: "…")
  guard parts.count > 1 else { return text == expected }
  guard text.hasPrefix(parts[0]), text.hasSuffix(parts[parts.count - 1]) else { return false }
  var rest = text.dropFirst(parts[0].count)
  for part in parts.dropFirst() where !part.isEmpty {
    guard let range = rest.range(of: part) else { return false }
    rest = rest[range.upperBound...]
  }
  return true
}

/// Reads a settings file without a fault in which some texts were replaced.
func settingsFile(replacing changes: KeyValuePairs<String, String>) throws -> ConnectorSettings {
  let text = """
    <plist><dict><key>authority</key><string>https://contoso.b2clogin.com/contoso.onmicrosoft.com/</string>
    <key>clientId</key><string>\(LocalTenant.standardClientID)</string>
    <key>redirectUri</key><string>\(Scene.redirect)</string>
    <key>scopes</key><array><string>https://contoso.onmicrosoft.com/tasks/read</string></array>
    <key>taskWebAPI</key><string>https://tasks.example/tasks</string>
    <key>emailSignInPolicyId</key><string>B2C_1_SignIn</string></dict></plist>
    """
  return try ConnectorSettings(data: Data(changes.reduce(text) { $0.replacing($1.key, with: $1.value) }.utf8))
}
