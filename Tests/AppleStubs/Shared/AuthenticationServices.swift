// swift-format-ignore-file
// The sign-in sheet. The reference declares the session without an actor, its presentation protocol `@MainActor`, and the
// completion handler without `@Sendable`: that it may be called on any thread is what the package has to provide for.
@_exported import Foundation

public let ASWebAuthenticationSessionErrorDomain: String = "com.apple.AuthenticationServices.WebAuthenticationSession"

// An error code of Objective-C: a struct over `NSError`, with what Foundation adds to all such structs.
public struct ASWebAuthenticationSessionError: CustomNSError, Hashable {
  @available(iOS 12.0, macOS 10.15, tvOS 16.0, watchOS 6.2, visionOS 1.0, *)
  public enum Code: Int, Sendable, Equatable {
    case canceledLogin = 1
    @available(iOS 13.0, *)
    case presentationContextNotProvided = 2
    @available(iOS 13.0, *)
    case presentationContextInvalid = 3
  }

  private let error: NSError
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    error = NSError(domain: Self.errorDomain, code: code.rawValue, userInfo: userInfo)
  }

  public static var errorDomain: String { ASWebAuthenticationSessionErrorDomain }
  public var code: Code { Code(rawValue: error.code) ?? .canceledLogin }
  public var errorCode: Int { error.code }
  public var userInfo: [String: Any] { error.userInfo }
  public var errorUserInfo: [String: Any] { error.userInfo }
  public var localizedDescription: String { error.localizedDescription }

  public static var canceledLogin: Code { .canceledLogin }
  public static var presentationContextNotProvided: Code { .presentationContextNotProvided }
  public static var presentationContextInvalid: Code { .presentationContextInvalid }
}

#if !os(tvOS) && !os(watchOS)
@available(iOS 13.0, macOS 10.15, visionOS 1.0, *)
@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
  func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}
#endif

@available(iOS 12.0, macOS 10.15, tvOS 16.0, watchOS 6.2, visionOS 1.0, *)
open class ASWebAuthenticationSession: NSObject {
  public typealias CompletionHandler = (URL?, (any Error)?) -> Void

  @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
  open class Callback: NSObject {
    private override init() {}
    public class func customScheme(_ customScheme: String) -> Callback { Callback() }
    public class func https(host: String, path: String) -> Callback { Callback() }
    public func matchesURL(_ url: URL) -> Bool { false }
  }

  public init(url: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) {}
  @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
  public init(url: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {}

#if !os(tvOS) && !os(watchOS)
  @available(iOS 13.0, macOS 10.15, visionOS 1.0, *)
  public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
#endif
#if !os(tvOS)
  public var prefersEphemeralWebBrowserSession: Bool = false
#endif
  @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
  public var additionalHeaderFields: [String: String]? {
    get { nil }
    set {}
  }
  public var canStart: Bool { ASWebAuthenticationSession.shown == nil }
  // The system shows one sheet of an app, and refuses another one until that one has been dismissed and has called its
  // completion.
  nonisolated(unsafe) private static var shown: ASWebAuthenticationSession?
  @discardableResult open func start() -> Bool {
    guard canStart else { return false }
    ASWebAuthenticationSession.shown = self
    return true
  }
  open func cancel() {}
}
