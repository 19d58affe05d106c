package import B2CCore
internal import Foundation

/// The error of a request to which no answer came.
public struct TransportError: CodedError, Sendable, Redacted {
  /// The kind of failure, as an open set of codes.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code's stable name.
    public var rawValue: String

    /// Makes a code from its stable name.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The URL is neither https nor http to this machine, a proxy would carry plain http away from it, or App Transport
    /// Security refuses it.
    public static let insecureURL = Code(rawValue: "insecureURL")
    /// The request cannot be sent as it is: a forbidden character in a header field, a body where none may be, an address
    /// that the system does not take.
    public static let invalidRequest = Code(rawValue: "invalidRequest")
    /// No connection: refused, no route, no such host, offline.
    public static let cannotConnect = Code(rawValue: "cannotConnect")
    /// The connection broke before the answer was whole.
    public static let connectionLost = Code(rawValue: "connectionLost")
    /// The deadline or the idle timeout passed.
    public static let timedOut = Code(rawValue: "timedOut")
    /// The body is larger than the request's limit.
    public static let responseTooLarge = Code(rawValue: "responseTooLarge")
    /// The answer is not HTTP.
    public static let invalidResponse = Code(rawValue: "invalidResponse")
    /// The server's certificate was refused.
    public static let untrustedServer = Code(rawValue: "untrustedServer")
    /// The transport was closed before the request, and nothing was sent.
    public static let closed = Code(rawValue: "closed")
    /// The transport was closed during the request, which the server may have carried out.
    public static let closedDuringRequest = Code(rawValue: "closedDuringRequest")
  }

  /// The kind of failure.
  public var code: Code
  /// The description, without secrets.
  public package(set) var message: String
  /// How to fix it, if anything is known to help.
  public package(set) var recoverySuggestion: String?
  /// The error of the layer below, if any.
  public var underlying: (any Error)?

  /// Makes an error; texts are cut to 500 characters, made printable, and cleared of what looks like a token.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: The description, without secrets.
  ///   - recoverySuggestion: How to fix it, without secrets.
  ///   - underlying: The error of the layer below, if any.
  public init(
    _ code: Code, _ message: String, recoverySuggestion: String? = nil, underlying: (any Error)? = nil
  ) {
    self.code = code
    // A custom part may repeat the words of a database or a server.
    self.message = PrintableText.ofCustomPart(message)
    self.recoverySuggestion = recoverySuggestion.map(PrintableText.ofCustomPart)
    self.underlying = underlying
  }

  /// Whether the same request may succeed later without a change.
  public var isRetryable: Bool {
    [.cannotConnect, .connectionLost, .timedOut].contains(code)
  }
}
