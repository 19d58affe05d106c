import B2CConnector
import Crypto
import Foundation

/// A sign-in under way, which its browser keeps: any instance with the same key finishes it.
struct Login: Codable {
  let pending: PendingSignIn
  /// A browser forgets the cookie in time, but a copy of it would not.
  var begun = Date()

  /// The `state` of a page or of a callback.
  static func state(of url: URL) -> String? {
    URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == "state" }?.value
  }
}

/// Seals a sign-in for its cookie: no one else reads or changes it.
struct LoginSeal: Sendable {
  /// The seconds in which a visitor must come back.
  ///
  /// The SDK allows an hour, but a copied cookie should not be of use that long.
  static let lifetime = 600
  let key: SymmetricKey

  func seal(_ login: Login) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    let cookie = try ChaChaPoly.seal(encoder.encode(login), using: key).combined.base64EncodedString()
    // Browsers drop a longer cookie without telling anyone (RFC 6265 section 6.1).
    guard cookie.utf8.count < 4_000 else {
      throw ConnectorError(.configuration, "The sign-in does not fit into a cookie. Request fewer scopes.")
    }
    return cookie
  }

  /// Returns what this server has sealed within its lifetime; `nil` for anything else.
  func open(_ cookie: String) -> Login? {
    guard let data = Data(base64Encoded: cookie), let box = try? ChaChaPoly.SealedBox(combined: data),
      let json = try? ChaChaPoly.open(box, using: key)
    else { return nil }
    let login = try? JSONDecoder().decode(Login.self, from: json)
    return login.flatMap { $0.begun.timeIntervalSinceNow > -Double(Self.lifetime) ? $0 : nil }
  }
}

/// Hands over the address of the provider's sign-out page, to which the visitor's own browser goes.
///
/// It is the presenter of the one connector: signing in takes two calls and needs none.
struct SignOutPage: SignInPresenter {
  /// Takes the address for the request that is under way.
  @TaskLocal static var addresses: AsyncStream<URL>.Continuation?

  func present(_ request: PresentationRequest) async throws -> URL {
    Self.addresses?.yield(request.url)
    throw ConnectorError(.userClosedBrowser, "The user's browser shows the page, and the server does not wait for it.")
  }
}
