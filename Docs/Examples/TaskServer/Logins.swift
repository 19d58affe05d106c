import B2CConnector
import Crypto
import Foundation

/// Hands out the address of each page of one sign-in, and waits for the callback.
struct VisitorPresenter: SignInPresenter {
  private let pages = AsyncStream.makeStream(of: URL.self)
  private let callbacks = AsyncStream.makeStream(of: URL.self)

  func present(_ request: PresentationRequest) async throws -> URL {
    pages.continuation.yield(request.url)
    for await url in callbacks.stream { return url }
    throw CancellationError()
  }

  /// Returns the page to send the browser to, and `nil` once the sign-in has ended.
  func page() async -> URL? {
    for await url in pages.stream { return url }
    return nil
  }

  func callback(_ url: URL) { callbacks.continuation.yield(url) }
  func end() { pages.continuation.finish() }
}

/// The sign-ins under way, each for the browser that began it. They end with the process.
actor Logins {
  struct Login {
    let presenter: VisitorPresenter
    let result: Task<SignInResult, any Error>
    let begun = ContinuousClock.now
    var browser = ""
  }

  /// The seconds in which a visitor has to come back.
  static let lifetime = 600

  private let settings: ConnectorSettings
  private let environment: Connector.Environment
  /// By the `state` of the page that the browser was sent to.
  private var waiting: [String: Login] = [:]

  /// The environment has the cache and the transport of all; a login adds its presenter.
  init(settings: ConnectorSettings, environment: Connector.Environment) {
    self.settings = settings
    self.environment = environment
  }

  /// Returns the cookie that a browser has, if this server can have made it, and otherwise a new one of 32 random bytes.
  static func cookie(_ old: String?) -> String {
    if let old, Data(hex: old[...])?.count == 32 { return old }
    return SymmetricKey(size: .bits256).withUnsafeBytes { Data($0).hex }
  }

  func begin() throws -> Login {
    let presenter = VisitorPresenter()
    var environment = environment
    environment.presenter = presenter
    let connector = try Connector(settings: settings, environment: environment)
    let result = Task {
      defer { presenter.end() }
      return try await connector.signIn()
    }
    return Login(presenter: presenter, result: result)
  }

  /// Keeps a login until its callback; a thousand at most, so that those that no one finishes do not fill the memory.
  func keep(_ login: Login, of browser: String, at page: URL) {
    let parts = URLComponents(url: page, resolvingAgainstBaseURL: false)
    guard let state = parts?.queryItems?.first(where: { $0.name == "state" })?.value else {
      return login.result.cancel()
    }
    for (state, old) in waiting where isOver(old) { waiting.removeValue(forKey: state)?.result.cancel() }
    if waiting.count >= 1_000, let oldest = waiting.min(by: { $0.value.begun < $1.value.begun })?.key {
      waiting.removeValue(forKey: oldest)?.result.cancel()
    }
    waiting[state] = login
    waiting[state]?.browser = browser
  }

  /// Returns a browser's login and forgets it: each is used once.
  func take(_ state: String, of browser: String) -> Login? {
    guard let login = waiting[state], login.browser == browser, !isOver(login) else { return nil }
    return waiting.removeValue(forKey: state)
  }

  private func isOver(_ login: Login) -> Bool { login.begun.duration(to: .now) > .seconds(Self.lifetime) }
}

/// The signed cookies of signed-in browsers: the user's id and an end, which every instance with the same key can read.
struct Sessions: Sendable {
  /// Seconds.
  static let lifetime = 8 * 3_600
  let key: SymmetricKey

  func cookie(for user: UserInfo) -> String {
    let text = "\(Int(Date().timeIntervalSince1970) + Self.lifetime).\(Data(user.id.utf8).hex)"
    return "\(text).\(Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)).hex)"
  }

  func user(of cookie: String) -> UserInfo? {
    let parts = cookie.split(separator: ".")
    guard parts.count == 3, let end = Int(parts[0]), let id = Data(hex: parts[1]), let code = Data(hex: parts[2]),
      HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: Data("\(parts[0]).\(parts[1])".utf8), using: key),
      Double(end) > Date().timeIntervalSince1970
    else { return nil }
    return UserInfo(id: String(decoding: id, as: UTF8.self))
  }
}

extension Data {
  fileprivate var hex: String { map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }

  fileprivate init?(hex: Substring) {
    let digits = hex.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == hex.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    self.init(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
  }
}
