internal import B2CCore
public import B2CHTTP
public import Foundation

/// A rule by which a local server misbehaves on some requests, for a number of times.
///
/// Rules are tried in their order and add up: a server can wait at a gate, then change its answer, then lose it.
///
/// ```swift
/// tenant.faults = [LocalFault(on: .token, times: 2, .respond(.init(status: 503)))]
/// tasks.faults = [LocalFault(.offline)]   // and `tasks.faults = []` when the device is back
/// ```
public struct LocalFault: Sendable {
  /// The effect.
  public enum Effect: Sendable {
    /// Answers this; the request has no other effect.
    case respond(LocalResponse)
    /// Works as always, then changes the answer.
    case change(@Sendable (inout LocalResponse) -> Void)
    /// Waits at a gate before it looks at the request.
    case wait(TestGate)
    /// Works as always, then waits at a gate with the answer.
    case holdAnswer(TestGate)
    /// Works as always, then breaks the connection before the first byte of the answer.
    case reset
    /// Never answers; the request has no other effect.
    case never
    /// Lets no request be sent, as when a device is offline: the server never sees it.
    ///
    /// Over loopback HTTP the listener has the request already, and breaks the connection: a client cannot tell whether it
    /// took effect. Stop the server to have its connections refused there.
    case offline
  }

  /// Which requests it happens to.
  public var target: LocalFaultTarget
  /// How many requests it happens to before the server behaves again; without end for `nil`.
  public var times: Int?
  /// The effect.
  public var effect: Effect

  /// Makes a rule.
  ///
  /// - Parameters:
  ///   - target: Which requests it happens to; all of them unless said otherwise.
  ///   - times: How many requests it happens to before the server behaves again; without end for `nil`.
  ///   - effect: The misbehaviour.
  public init(on target: LocalFaultTarget = .any, times: Int? = nil, _ effect: Effect) {
    self.target = target
    self.times = times
    self.effect = effect
  }
}

/// Which requests a fault happens to.
public struct LocalFaultTarget: Sendable {
  /// Whether the fault happens to a request.
  package let contains: @Sendable (URLRequest) -> Bool

  /// Makes a target from a test of the request.
  ///
  /// - Parameter matches: Whether the fault happens to a request.
  public init(where matches: @escaping @Sendable (URLRequest) -> Bool) { contains = matches }

  /// Every request.
  public static let any = LocalFaultTarget { _ in true }

  /// Requests with a method.
  ///
  /// - Parameter method: The method, such as `GET`.
  /// - Returns: The target.
  public static func method(_ method: String) -> LocalFaultTarget { LocalFaultTarget { $0.method == method } }

  /// Requests whose path ends in a text, compared without regard to case.
  ///
  /// - Parameter suffix: The end of the path.
  /// - Returns: The target.
  public static func path(_ suffix: String) -> LocalFaultTarget {
    LocalFaultTarget { $0.path.lowercased().hasSuffix(suffix.lowercased()) }
  }

  /// Requests that both targets contain.
  ///
  /// - Parameter other: The other target.
  /// - Returns: The target.
  public func and(_ other: LocalFaultTarget) -> LocalFaultTarget {
    LocalFaultTarget { contains($0) && other.contains($0) }
  }
}

/// Targets at a ``LocalTenant``.
extension LocalFaultTarget {
  /// The metadata document.
  public static let metadata = path("/.well-known/openid-configuration")
  /// The signing keys.
  public static let keys = LocalFaultTarget { ["keys", "jwks"].contains($0.url?.lastPathComponent.lowercased() ?? "") }
  /// The sign-in page, asked for and posted.
  public static let authorize = LocalFaultTarget { $0.path.lowercased().contains("/authorize") }
  /// Every call of the token endpoint.
  public static let token = path("/token")
  /// Calls of the token endpoint that redeem a code.
  public static let tokenCode = token("authorization_code")
  /// Calls of the token endpoint that use a refresh token.
  public static let tokenRefresh = token("refresh_token")
  /// The logout endpoint.
  public static let logout = path("/logout")

  private static func token(_ grantType: String) -> LocalFaultTarget {
    token.and(LocalFaultTarget { $0.formValues["grant_type"] == grantType })
  }
}

/// An answer of a local server; a fault gives it, or changes it.
///
/// It prints without header fields and body.
public struct LocalResponse: Sendable, Hashable {
  /// The status code.
  public var status: Int
  /// The header fields by their usual names, such as `Content-Type`.
  public var headers: [String: String]
  /// The body, not compressed.
  public var body: Data

  /// Makes an answer.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - headers: The header fields.
  ///   - body: The body.
  public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Returns what a transport returns for this answer.
  ///
  /// - Throws: `URLError` with code `badServerResponse` where Foundation has no such answer.
  package func answer(to url: URL?) throws -> (Data, HTTPURLResponse) {
    guard let url,
      let head = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
    else { throw URLError(.badServerResponse) }
    return (body, head)
  }
}

extension LocalResponse: Redacted {
  /// Status and size.
  public var description: String { "\(status) (\(headers.count) headers, \(body.count) bytes)" }
}
