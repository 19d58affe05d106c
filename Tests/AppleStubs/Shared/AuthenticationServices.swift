// swift-format-ignore-file
// The sign-in sheet. The reference declares the session without an actor, its presentation protocol `@MainActor`, and the
// completion handler without `@Sendable`: that it may be called on any thread is what the package has to provide for.
@_exported import Foundation

public let ASWebAuthenticationSessionErrorDomain: String = "com.apple.AuthenticationServices.WebAuthenticationSession"

// An error code of Objective-C: a struct over `NSError`, with what Foundation adds to all such structs.
public struct ASWebAuthenticationSessionError: CustomNSError, Hashable {
  public enum Code: Int, Sendable, Equatable {
    case canceledLogin = 1
    case presentationContextNotProvided = 2
    case presentationContextInvalid = 3
  }

  private let error: NSError
  public static var errorDomain: String { ASWebAuthenticationSessionErrorDomain }
  public var code: Code { Code(rawValue: error.code) ?? .canceledLogin }
  public var errorCode: Int { error.code }
  public var userInfo: [String: Any] { error.userInfo }
}

#if !os(tvOS) && !os(watchOS)
@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
  func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}
#endif

open class ASWebAuthenticationSession: NSObject {
  public typealias CompletionHandler = (URL?, (any Error)?) -> Void

  @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
  open class Callback: NSObject {
    private override init() {}
    public class func customScheme(_ customScheme: String) -> Callback { Callback() }
    public class func https(host: String, path: String) -> Callback { Callback() }
  }

  public init(url: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) {}
  @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
  public init(url: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {}

#if !os(tvOS) && !os(watchOS)
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
  @discardableResult open func start() -> Bool { false }
  open func cancel() {}
}
