// swift-format-ignore-file
// The sign-in sheet. The reference declares the session without an actor, its presentation protocol `@MainActor`, and the
// completion handler without `@Sendable`: that it may be called on any thread is what the package has to provide for.
@_exported import Foundation

public struct ASWebAuthenticationSessionError: Error, Hashable {
  public enum Code: Int, Sendable {
    case canceledLogin = 1
    case presentationContextNotProvided = 2
    case presentationContextInvalid = 3
  }

  public let code: Code
  public init(_ code: Code) { self.code = code }

  public static var canceledLogin: Code { .canceledLogin }
  public static var presentationContextNotProvided: Code { .presentationContextNotProvided }
  public static var presentationContextInvalid: Code { .presentationContextInvalid }
}

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
  func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

open class ASWebAuthenticationSession: NSObject {
  public typealias CompletionHandler = (URL?, (any Error)?) -> Void

  open class Callback: NSObject {
    private override init() {}
    public class func customScheme(_ customScheme: String) -> Callback { Callback() }
    public class func https(host: String, path: String) -> Callback { Callback() }
    public func matchesURL(_ url: URL) -> Bool { false }
  }

  public init(url: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) {}
  public init(url: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {}

  public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
  public var prefersEphemeralWebBrowserSession: Bool = false
  public var additionalHeaderFields: [String: String]?
  public var canStart: Bool { false }
  @discardableResult open func start() -> Bool { false }
  open func cancel() {}
}
