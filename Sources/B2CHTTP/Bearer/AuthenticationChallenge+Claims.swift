internal import B2CCore
internal import Foundation

extension AuthenticationChallenge {
  /// The most bytes of claims that are taken.
  private static let maximumClaimsBytes = 4_096

  /// The claims that a new token needs, as the JSON text for the `claims` parameter of an authorization request; `nil` when
  /// they are not a JSON object of at most 4 KiB.
  ///
  /// Microsoft's services send it in Base64, in either alphabet and with or without padding; plain JSON is taken too.
  package var claims: String? { claims(hiding: []) }

  /// Returns the challenge without the tokens that were sent and that the server repeats in it.
  func hiding(_ secrets: [Secret]) -> AuthenticationChallenge {
    func hide(_ text: String) -> String {
      secrets.filter { $0.value.utf8.count >= 4 }.reduce(text) { text, secret in
        text.replacingOccurrences(
          of: secret.value, with: PrintableText.replacement, options: [.literal, .caseInsensitive])
      }
    }
    var copy = AuthenticationChallenge(
      parameters: Dictionary(
        parameters.map { (hide($0.key), hide($0.value)) }, uniquingKeysWith: { first, _ in first }))
    // That claims are wanted is kept, whatever becomes of them.
    if parameters["claims"] != nil { copy.parameters["claims"] = claims(hiding: secrets) ?? "" }
    return copy
  }

  /// The claims go into the URL of the next sign-in page as they are: with the token that was sent in them they are not
  /// the API's.
  private func claims(hiding secrets: [Secret]) -> String? {
    guard let text = parameters["claims"], let json = Self.decoded(text), json.utf8.count <= Self.maximumClaimsBytes,
      (try? JSONReader.object(Data(json.utf8))) != nil,
      !secrets.contains(where: { json.range(of: $0.value, options: [.literal, .caseInsensitive]) != nil })
    else { return nil }
    let shown = PrintableText.plain(json, limit: Self.maximumClaimsBytes)
    return (try? JSONReader.object(Data(shown.utf8))) == nil ? nil : shown
  }

  private static func decoded(_ text: String) -> String? {
    if text.hasPrefix("{") { return text }
    let urlSafe = text.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    return Base64URL.decode(urlSafe.prefix { $0 != "=" }).flatMap { String(bytes: $0, encoding: .utf8) }
  }
}
