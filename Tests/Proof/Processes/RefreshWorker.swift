import B2CConnector
import Foundation

/// One of several processes that want a token from one cache.
struct RefreshWorker: ProofCommand {
  static let name = "refresh-worker"
  static let summary = ""

  static func run(_ options: ProofOptions) async throws -> Bool {
    let folder = URL(fileURLWithPath: try options.value(0, "the folder"), isDirectory: true)
    let settings = try RefreshWorker.settings(authority: try options.value(1, "the authority"))
    let connector = try Connector(
      settings: settings, presenter: ManualPresenter(), cache: ProofCache.open(folder))
    // Printing would keep the word back until there is more.
    try FileHandle.standardOutput.write(contentsOf: Data("ready\n".utf8))
    _ = readLine()
    let token = try await connector.accessToken()
    print(fingerprint(of: token.token.value))
    return true
  }

  /// Settings that parent and child agree on.
  static func settings(authority: String) throws -> ConnectorSettings {
    guard let redirectURI = URL(string: "http://127.0.0.1/callback") else { throw ProofError("no redirect URI") }
    return ConnectorSettings(
      authority: try Authority(authority), clientID: "11111111-1111-4111-8111-111111111111",
      scopes: ["https://contoso.onmicrosoft.com/tasks/read"], redirectURI: redirectURI,
      policies: .init(emailSignIn: try Policy("B2C_1_SignIn")))
  }

  /// Tells tokens apart without showing them (the FNV-1a sum of 64 bits).
  static func fingerprint(of text: String) -> String {
    String(text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
  }
}
