internal import B2CCore
internal import Foundation

/// The errors of a token call that fails before a request or gets no access token.
extension TokenSource {
  static func notSignedIn(_ userID: String?) -> ConnectorError {
    ConnectorError(
      own: .interactionRequired, userID == nil ? "No user is signed in." : "The user is not signed in.",
      recoverySuggestion: "Sign in first.")
  }

  static func missingAPIScope(_ scopes: [String], at route: TokenRoute?, _ correlationID: UUID?) -> ConnectorError {
    let isMicrosoft = route?.isMicrosoft ?? true
    let named = scopes.isEmpty ? "none" : scopes.joined(separator: " ")
    let namesAPI = Scopes.includeAPIScope(scopes)
    let suggestion =
      switch (namesAPI, isMicrosoft) {
      case (true, true): "Grant the app this permission in the portal (API permissions, with admin consent)."
      case (true, false): "Allow the app these scopes where it is registered."
      case (false, true): "Add the API's scope, or the client ID itself, to `scopes` in the settings."
      case (false, false): "Add a scope of the API to `scopes` in the settings."
      }
    let error = ConnectorError(
      own: .missingAPIScope,
      namesAPI
        ? "The provider issued no access token for \(named)."
        : "There is no access token, because none of the scopes names an API: \(named).",
      recoverySuggestion: suggestion, correlationID: route?.known(correlationID))
    return route.map { error.about($0.url, method: "POST") } ?? error
  }

  static func notAllowed(_ error: any Error) -> ConnectorError {
    ConnectorError(
      own: .userCancelled, "The user did not agree to a refresh, because the app's `beforeRefresh` threw an error.",
      recoverySuggestion: "Repeat the call when the user wants to continue.", underlying: error)
  }

  static let signedOut = ConnectorError(
    own: .interactionRequired, "The user has signed out.", recoverySuggestion: "Sign in again.")
  static let notRenewable = ConnectorError(
    own: .interactionRequired, "There is no refresh token, so the access token cannot be renewed without the user.",
    recoverySuggestion: "Sign in again. To get a refresh token, request offline_access if the provider offers it.")
  static let expired = ConnectorError(
    own: .interactionRequired, "The session has expired and cannot be renewed without the user.",
    recoverySuggestion: "Sign in again.")
  static let refreshNotAllowed = ConnectorError(
    own: .refreshNotAllowed, "There is no valid access token, and this process must not request one.",
    recoverySuggestion:
      "Open the app, which requests a new one. If this process may refresh, set `refreshesTokens`. An app extension "
      + "never refreshes.")

  /// Checks that a claims request is a JSON object (OpenID Connect Core section 5.5).
  ///
  /// - Throws: ``ConnectorError`` with code `configuration` if it is not.
  static func checkClaims(_ text: String) throws(ConnectorError) {
    guard (try? JSONReader.object(Data(text.utf8))) == nil else { return }
    throw ConnectorError(
      own: .configuration, "The claims request is not a JSON object.",
      recoverySuggestion: "Pass the `claims` of an error unchanged, or the text of a JSON object.")
  }
}
