public import Foundation

/// Why a token cache failed.
///
/// Two errors are equal when their codes are.
public struct TokenCacheError: LocalizedError, Sendable, Equatable, CustomStringConvertible {
  /// What went wrong, as an open set of codes.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code's stable name.
    public var rawValue: String

    /// Makes a code from its stable name.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The store cannot be read.
    public static let unreadable = Code(rawValue: "unreadable")
    /// The store cannot be written.
    public static let unwritable = Code(rawValue: "unwritable")
    /// A record is damaged or is none of ours.
    public static let damaged = Code(rawValue: "damaged")
    /// A record was written by a newer version.
    public static let newerVersion = Code(rawValue: "newerVersion")
    /// The store's folder or file can be read or written by others.
    public static let insecurePermissions = Code(rawValue: "insecurePermissions")
    /// Another holder did not let go in time.
    public static let lockTimedOut = Code(rawValue: "lockTimedOut")
    /// A record does not decrypt: tampered with, swapped, or sealed with a key that is not known.
    public static let decryptionFailed = Code(rawValue: "decryptionFailed")
    /// Encryption was asked for where it cannot be had.
    public static let encryptionUnavailable = Code(rawValue: "encryptionUnavailable")
    /// The keychain refused for lack of an entitlement or signature.
    public static let missingEntitlement = Code(rawValue: "missingEntitlement")
  }

  /// What went wrong.
  public var code: Code
  /// What happened and where, in words without secrets.
  public var message: String
  /// What to do about it.
  public var recoverySuggestion: String?
  /// The error of the layer below, if any.
  public var underlying: (any Error)?

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: What went wrong.
  ///   - message: What happened and where, in words without secrets.
  ///   - recoverySuggestion: What to do about it.
  ///   - underlying: The error of the layer below, if any.
  public init(
    _ code: Code, _ message: String, recoverySuggestion: String? = nil, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.recoverySuggestion = recoverySuggestion
    self.underlying = underlying
  }

  /// The message, for `localizedDescription`.
  public var errorDescription: String? { message }

  /// Code, message and what to do.
  public var description: String {
    "\(code.rawValue): \(message)" + (recoverySuggestion.map { " " + $0 } ?? "")
  }

  /// Compares the codes.
  ///
  /// - Parameters:
  ///   - left: One error.
  ///   - right: The other.
  /// - Returns: Whether the codes are the same.
  public static func == (left: TokenCacheError, right: TokenCacheError) -> Bool { left.code == right.code }
}
