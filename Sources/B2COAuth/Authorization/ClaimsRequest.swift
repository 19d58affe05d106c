internal import B2CCore
internal import Foundation

/// The `claims` parameter of an authorization or token request (OpenID Connect Core section 5.5).
enum ClaimsRequest {
  /// Returns a claims request as it is; throws for what is not a JSON object.
  static func checked(_ text: String) throws(ConnectorError) -> String {
    guard (try? JSONReader.object(Data(text.utf8))) != nil else {
      throw ConnectorError(
        own: .configuration, "The claims request is not a JSON object.",
        recoverySuggestion: "Pass the `claims` of an error as they are, or a JSON object as text.")
    }
    return text
  }
}
