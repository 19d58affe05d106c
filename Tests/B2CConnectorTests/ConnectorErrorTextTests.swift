import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

@testable import B2CConnector
@testable import B2CIDToken
@testable import B2COAuth

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The last word of every error, as an app logs it.
@Suite("The text of every error", .hangLimit)
struct ConnectorErrorTextTests {
  private func check(_ error: any Error, isPlainIssuer: Bool = false) throws {
    let shown = ConnectorError(mapping: error)
    let faults = errorTextFaults(
      message: shown.message, advice: shown.recoverySuggestion, description: shown.description,
      isPlainIssuer: isPlainIssuer)
    #expect(faults.isEmpty, "\(shown)")
  }

  // MARK: What a service says

  /// Every code that has an entry, and one that has none.
  static let serviceCodes: [String] = {
    let numbers: [(String, [Range<Int>])] = [
      ("AADB2C", [90_000..<100_000]), ("AADSTS", [10_000..<1_000_000, 7_000_000..<7_010_000]),
    ]
    let all = numbers.flatMap { family, ranges in ranges.joined().lazy.map { "\(family)\($0)" } }
    return all.filter { ServiceCode.named($0) != nil } + ["AADB2C99999"]
  }()
  static let correlationID = "01020304-0506-4708-890a-0b0c0d0e0f10"

  private func callback(_ error: String, _ said: String) throws -> (String) -> String? {
    var components = URLComponents()
    components.queryItems = [
      URLQueryItem(name: "error", value: error), URLQueryItem(name: "error_description", value: said),
    ]
    let parameters = try CallbackParameters(try #require(components.url))
    return { parameters[$0] }
  }

  @Test("Codes of Microsoft's services, in a callback and in a token answer", arguments: serviceCodes)
  func serviceCode(_ code: String) throws {
    let said =
      "\(code): The user has done something else.\r\nCorrelation ID: \(Self.correlationID)\r\n"
      + "Timestamp: 2026-01-01 00:00:00Z\r\n"
    let body: JSONValue = ["error": "access_denied", "error_description": .string(said)]
    let response = try LocalResponse(status: 400).answer(to: URL(filePath: "/")).1
    let answers = [
      ErrorResponse(callback: try callback("access_denied", said), at: .b2c, hiding: []),
      ErrorResponse(Data("\(body)".utf8), response, to: .code, at: .b2c, hiding: []),
      ErrorResponse(Data("\(body)".utf8), response, to: .refresh(addsClaims: false), at: .b2c, hiding: []),
    ]
    for answer in answers {
      let error = answer.asError(
        scopes: ["openid"], policy: try Policy("B2C_1_SignIn"), correlationID: UUID(uuidString: Self.correlationID)
      ).about(try url("https://contoso.b2clogin.com/token"), method: "POST")
      #expect(error.serverCode == code && error.correlationID != nil)
      try check(error)
      #expect(errorTextFaults(message: ".", advice: nil, description: error.description).isEmpty, "\(error)")
    }
  }

  @Test(
    "Words of a service that end without a full stop, or in another mark", arguments: ["Gone", "Gone.", "Why?", "Oh!"])
  func words(_ said: String) throws {
    var error = ErrorResponse(callback: try callback("x", said), at: .b2c, hiding: []).asError()
    error.recoverySuggestion = "Try again."
    try check(error)
  }

  // MARK: What this package finds

  @Test("A refusal of an id_token", arguments: [true, false])
  func rejection(_ mayHaveStaleKeys: Bool) throws {
    try check(ConnectorError(idToken: "its claim is another", mayHaveStaleKeys: mayHaveStaleKeys))
  }

  static let refusals: [ConnectorError] = [
    TokenSource.signedOut, TokenSource.notRenewable, TokenSource.expired, BackgroundTime.suspended,
    TokenSource.refreshNotAllowed,
    TokenSource.missingAPIScope([], at: nil, nil), TokenSource.missingAPIScope(["openid"], at: nil, nil),
    TokenSource.missingAPIScope(["https://contoso.onmicrosoft.com/tasks/read"], at: nil, nil),
  ]

  @Test("Refusals of a silent call", arguments: refusals.indices)
  func silent(_ index: Int) throws {
    try check(Self.refusals[index])
  }

  @Test("A session without a refresh token has not expired: nothing was there to renew it with")
  func notRenewable() {
    let text = "\(TokenSource.notRenewable)"
    #expect(text.contains("no refresh token") && !text.contains("session has expired"))
  }

  @Test("Failures of the network", arguments: -3_010 ... -990)
  func network(_ number: Int) throws {
    // Foundation's initialiser fails on Linux only.
    let code: URLError.Code? = URLError.Code(rawValue: number)
    // App Transport Security is of Apple's systems alone, and so is its advice.
    guard let code, code != .appTransportSecurityRequiresSecureConnection else { return }
    let request = URLRequest(url: try url("https://login.example/x"))
    try check(ConnectorError(URLError(code), request, .standard), isPlainIssuer: true)
  }

  // MARK: What a developer wrote

  static let authorities = [
    "", "contoso", "contoso.onmicrosoft.com", "http://contoso.b2clogin.com/", "ftp://contoso.b2clogin.com/",
    "https://contoso.onmicrosoft.com/", "https://contoso.b2clogin.com/", "https://contoso.b2clogin.com:99999/x",
    "https://user:pw@contoso.b2clogin.com/x", "https://contoso.b2clogin.com/x#y", "https://contoso.b2clogin.com\\x",
    "https://<tenant>.b2clogin.com/<tenant>", "https://contoso.b2clogin.com/x?p=", "https://contoso.b2clogin.com/x?a=b",
    "https://contoso.b2clogin.com/x?p=B2C_1_a&p=B2C_1_b", "https://contoso.b2clogin.com/x/B2C_1_a?p=B2C_1_b",
    "https://login.microsoftonline.com/", "https://b2clogin.com/x", "https://contoso.b2clogin.com/x y",
    "https:///x", "https://contoso.b2clogin.com/../x", "https://contoso.b2clogin.com/%zz", "https://[::1", "https://.x",
    "https://contoso.ciamlogin.com/a/b/c", "https://login.microsoftonline.com/common/B2C_1_a",
  ]

  @Test("Authorities that cannot be read", arguments: authorities)
  func authority(_ text: String) throws {
    let kinds: [Authority.Kind?] = [nil, .b2c, .ciam, .entra, .openIDConnect]
    let errors = kinds.compactMap { kind -> (any Error)? in
      if case .failure(let error) = Result(catching: { try Authority(text, kind: kind) }) { error } else { nil }
    }
    #expect(!errors.isEmpty)
    for error in errors { try check(error) }
  }

  @Test("Policies that cannot be read", arguments: ["", "?p=B2C_1_a", "B2C_1_a b", "B2C_1_a/b", "\u{7}"])
  func policy(_ text: String) throws {
    let error = #expect(throws: ConnectorError.self) { _ = try Policy(text) }
    try check(try #require(error))
  }

  static let files = [
    "", "{", "<plist version=\"1.0\"><dict/></plist>", "<plist version=\"1.0\"><array/></plist>", "bplist00",
    "<plist version=\"1.0\"><dict><key>clientId</key></dict></plist>",
    "<plist version=\"1.0\"><dict><key>authority</key><integer>1</integer></dict></plist>",
  ]

  @Test("Settings that cannot be used", arguments: files)
  func settings(_ text: String) throws {
    let error = #expect(throws: SettingsError.self) { _ = try ConnectorSettings(data: Data(text.utf8)) }
    try check(try #require(error))
  }

  @Test("Settings that are not there")
  func missingSettings() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("none-\(UUID()).plist")
    let error = #expect(throws: SettingsError.self) { _ = try ConnectorSettings(contentsOf: file) }
    try check(try #require(error))
    let resource = #expect(throws: SettingsError.self) { _ = try ConnectorSettings(bundle: .main, resource: "none") }
    try check(try #require(resource))
  }
}
