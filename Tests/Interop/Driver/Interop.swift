import Foundation

/// Runs the SDK against a provider, or the local tenant for foreign clients.
///
/// `interop tour <scene.json>` does the first, `interop serve` the second; `Tests/Interop/run` starts both.
@main
struct Interop {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    do {
      switch (arguments.first, arguments.dropFirst().first) {
      case ("tour", let path?):
        let scene = try JSONDecoder().decode(Scene.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        exit(try await Tour(scene).run() ? 0 : 1)
      case ("serve", nil):
        try await ServedTenants.run()
      default:
        FileHandle.standardError.write(Data("usage: interop tour <scene.json> | serve\n".utf8))
        exit(64)
      }
    } catch {
      FileHandle.standardError.write(Data("interop: \(error)\n".utf8))
      exit(2)
    }
  }
}

/// Writes a line that a reader at the other end of a pipe sees immediately.
func emit(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// A provider that runs, the client that it knows, and what it was configured to do.
struct Scene: Decodable {
  struct User: Decodable {
    let name: String
    let email: String
  }

  let name: String
  let issuer: String
  let clientID: String
  let redirectURI: URL
  let scopes: [String]
  let user: User
  /// The userinfo endpoint, as an API that takes the access token.
  let userInfo: URL
  /// The endpoint that revokes a refresh token of a public client (RFC 7009), if there is one.
  let revocation: URL?
  let person: URL
  let folder: String
  let alg: String
  /// Whether the callback must name the issuer (RFC 9207).
  let iss: Bool
  let rotates: Bool
  /// The lifetime of access tokens, in seconds.
  let lifetime: Double
  let refreshOutlivesToken: Bool
  let asksForConsent: Bool
  /// Whether the provider refuses a refresh token that was replaced by another one.
  let refusesReuse: Bool
  let endsSessions: Bool
  /// The error code of a consent that the user refuses.
  let consentRefusal: String
  /// The error code of a sign-in without a page when there is no session at the provider; `nil` if it is not tried.
  let silentRefusal: String?
}
