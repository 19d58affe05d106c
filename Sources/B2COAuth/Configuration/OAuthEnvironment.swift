public import B2CCore
public import Foundation

/// What an ``OAuthClient`` stands on: the network, the store, the page, the clocks.
///
/// Each can be replaced.
///
/// Tests pass a `TestClock` for both clocks; everything else has a default.
public struct OAuthEnvironment: Sendable {
  /// Where tokens are kept.
  public var cache: any TokenCache
  /// How requests are sent.
  public var transport: any HTTPTransport
  /// How the sign-in page is shown.
  public var presenter: any SignInPresenter
  /// The clock that deadlines and pauses run on.
  public var clock: any Clock<Duration>
  /// The wall time that token lifetimes are measured by.
  public var now: @Sendable () -> Date
  /// Told of everything the client does, in values that hold no secret.
  public var onEvent: @Sendable (OAuthEvent) -> Void

  /// Makes an environment.
  ///
  /// - Parameters:
  ///   - cache: Where tokens are kept; in memory unless said otherwise.
  ///   - transport: How requests are sent; over a `URLSession` of its own unless said otherwise.
  ///   - presenter: How the sign-in page is shown.
  ///   - clock: The clock that deadlines and pauses run on.
  ///   - now: The wall time that token lifetimes are measured by.
  ///   - onEvent: Told of everything the client does.
  public init(
    cache: any TokenCache = InMemoryTokenCache(), transport: any HTTPTransport = URLSessionTransport(),
    presenter: any SignInPresenter, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }, onEvent: @escaping @Sendable (OAuthEvent) -> Void = { _ in }
  ) {
    self.cache = cache
    self.transport = transport
    self.presenter = presenter
    self.clock = clock
    self.now = now
    self.onEvent = onEvent
  }
}

extension OAuthEnvironment: Redacted {
  /// The types of the parts: a cache holds tokens, and what an app supplies may hold anything.
  public var description: String {
    "OAuthEnvironment(\(type(of: cache)), \(type(of: transport)), \(type(of: presenter)))"
  }
}
