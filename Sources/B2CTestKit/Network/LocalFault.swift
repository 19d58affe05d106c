internal import B2CCore
public import B2CHTTP
public import Foundation

/// A rule that makes a local server misbehave on some requests.
///
/// The rules are tried in their order, and all that match apply. So a server can wait at a gate, then change its
/// response, and then lose it.
///
/// ```swift
/// tenant.faults = [LocalFault(on: .token, times: 2, .respond(.init(status: 503)))]
/// tasks.faults = [LocalFault(.offline)]   // and `tasks.faults = []` when the device is back
/// ```
public struct LocalFault: Sendable {
  /// The ways in which a server misbehaves.
  public enum Effect: Sendable {
    /// Sends this response instead of handling the request.
    case respond(LocalResponse)
    /// Handles the request as usual, then changes the response.
    case change(@Sendable (inout LocalResponse) -> Void)
    /// Waits at a gate before it handles the request.
    case wait(TestGate)
    /// Handles the request as usual, then waits at a gate before it sends the response.
    case holdAnswer(TestGate)
    /// Handles the request as usual, then breaks the connection before the first byte of the response.
    case reset
    /// Never responds, and does not handle the request.
    case never
    /// Lets no request reach the server, as if the device were offline.
    ///
    /// Over loopback HTTP, the request has already arrived when the rule applies, so the server breaks the connection,
    /// and the client cannot tell whether the request took effect. To have connections refused there, stop the server.
    case offline
  }

  /// The requests that the rule applies to.
  public var target: LocalFaultTarget
  /// The number of requests that the rule applies to before the server behaves again, or `nil` for no limit.
  public var times: Int?
  /// The way in which the server misbehaves.
  public var effect: Effect

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - target: The requests that the rule applies to, by default all.
  ///   - times: The number of requests that the rule applies to before the server behaves again. With `nil`, the
  ///     default, there is no limit.
  ///   - effect: The way in which the server misbehaves.
  public init(on target: LocalFaultTarget = .any, times: Int? = nil, _ effect: Effect) {
    self.target = target
    self.times = times
    self.effect = effect
  }
}

/// The requests that a fault applies to.
public struct LocalFaultTarget: Sendable {
  /// Returns whether the fault applies to a request.
  package let contains: @Sendable (URLRequest) -> Bool

  /// Creates a target from a condition on the request.
  ///
  /// - Parameter matches: Returns whether the fault applies to a request.
  public init(where matches: @escaping @Sendable (URLRequest) -> Bool) { contains = matches }

  /// Every request.
  public static let any = LocalFaultTarget { _ in true }

  /// Returns a target of the requests with a method.
  ///
  /// - Parameter method: The method, for example `GET`.
  /// - Returns: The target.
  public static func method(_ method: String) -> LocalFaultTarget { LocalFaultTarget { $0.method == method } }

  /// Returns a target of the requests whose path ends in a text, in any case.
  ///
  /// - Parameter suffix: The end of the path.
  /// - Returns: The target.
  public static func path(_ suffix: String) -> LocalFaultTarget {
    LocalFaultTarget { $0.path.lowercased().hasSuffix(suffix.lowercased()) }
  }

  /// Returns a target of the requests that are in both targets.
  ///
  /// - Parameter other: The other target.
  /// - Returns: The target.
  public func and(_ other: LocalFaultTarget) -> LocalFaultTarget {
    LocalFaultTarget { contains($0) && other.contains($0) }
  }
}

/// The endpoints of a ``LocalTenant``.
extension LocalFaultTarget {
  /// Requests for the metadata document.
  public static let metadata = path("/.well-known/openid-configuration")
  /// Requests for the signing keys.
  public static let keys = LocalFaultTarget { ["keys", "jwks"].contains($0.url?.lastPathComponent.lowercased() ?? "") }
  /// Requests for the sign-in page, and its posted form.
  public static let authorize = LocalFaultTarget { $0.path.lowercased().contains("/authorize") }
  /// Requests to the token endpoint.
  public static let token = path("/token")
  /// Requests to the token endpoint that redeem an authorization code.
  public static let tokenCode = token("authorization_code")
  /// Requests to the token endpoint that use a refresh token.
  public static let tokenRefresh = token("refresh_token")
  /// Requests to the logout endpoint.
  public static let logout = path("/logout")

  private static func token(_ grantType: String) -> LocalFaultTarget {
    token.and(LocalFaultTarget { $0.formValues["grant_type"] == grantType })
  }
}

/// A response of a local server, which a fault can replace or change.
///
/// Its description leaves out the header fields and the body.
public struct LocalResponse: Sendable, Hashable {
  /// The status code.
  public var status: Int
  /// The header fields by their usual names, for example `Content-Type`.
  public var headers: [String: String]
  /// The body, which is not compressed.
  public var body: Data

  /// Creates a response.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - headers: The header fields by their usual names, by default none.
  ///   - body: The body, by default empty.
  public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Returns the response in the form in which a transport returns it.
  ///
  /// - Throws: `URLError` with code `badServerResponse` if Foundation cannot represent the response.
  package func answer(to url: URL?) throws -> (Data, HTTPURLResponse) {
    guard let url,
      let head = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
    else { throw URLError(.badServerResponse) }
    return (body, head)
  }
}

extension LocalResponse: Redacted {
  /// The status, the number of header fields and the size of the body.
  public var description: String { "\(status) (\(headers.count) headers, \(body.count) bytes)" }
}
