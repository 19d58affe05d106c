package import B2CCore
internal import Foundation

/// The reason why a token cache failed.
public struct TokenCacheError: CodedError, Sendable, CustomStringConvertible {
  /// The kind of failure, as an open set of codes.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code's stable name.
    public var rawValue: String

    /// Creates a code from its stable name.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The store cannot be read.
    public static let unreadable = Code(rawValue: "unreadable")
    /// The store cannot be written.
    public static let unwritable = Code(rawValue: "unwritable")
    /// A record is damaged or is not a token record.
    public static let damaged = Code(rawValue: "damaged")
    /// A record was written by a newer version.
    public static let newerVersion = Code(rawValue: "newerVersion")
    /// Another user can read or replace the store's directory or files.
    public static let insecurePermissions = Code(rawValue: "insecurePermissions")
    /// Another holder did not release a lock in time.
    public static let lockTimedOut = Code(rawValue: "lockTimedOut")
    /// A record does not decrypt: tampered with, swapped, or sealed with another key.
    public static let decryptionFailed = Code(rawValue: "decryptionFailed")
    /// Encryption was asked for and is not possible.
    public static let encryptionUnavailable = Code(rawValue: "encryptionUnavailable")
    /// The keychain refused for lack of an entitlement or signature.
    public static let missingEntitlement = Code(rawValue: "missingEntitlement")
  }

  /// The kind of failure.
  public var code: Code
  /// A sentence that names the fault and the place, without secrets.
  public package(set) var message: String
  /// How to fix it.
  public package(set) var recoverySuggestion: String?
  /// The error of the layer below, if any.
  public var underlying: (any Error)?

  /// Whether the same call may succeed later without a change: a lock becomes free, a device is unlocked, a database is
  /// back.
  public var isRetryable: Bool

  /// Creates an error; texts are cut to 500 characters, made printable, and cleared of what looks like a token.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: What failed and where, without secrets.
  ///   - recoverySuggestion: How to fix it.
  ///   - isRetryable: Whether the same call may succeed later without a change; `nil` for what the code and the error
  ///     below say.
  ///   - underlying: The error of the layer below, if any.
  public init(
    _ code: Code, _ message: String, recoverySuggestion: String? = nil, isRetryable: Bool? = nil,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    // A custom part may repeat the words of a database or a server.
    self.message = PrintableText.ofCustomPart(message)
    self.recoverySuggestion = recoverySuggestion.map(PrintableText.ofCustomPart)
    self.isRetryable = isRetryable ?? (code == .lockTimedOut || underlying as? KeychainStatus == .interactionNotAllowed)
    self.underlying = underlying
  }
}

extension TokenCacheError {
  /// A call to the file system that was refused.
  init(_ code: Code, _ what: String, _ failure: SystemFailure) {
    let fix: String? =
      if failure.isFull {
        "Free some space on the device; what was stored before is still there."
      } else if failure.isDenied {
        "Give the user that runs this process access to it; what was stored before is still there."
      } else if failure.isSymbolicLink {
        "Remove the symbolic link."
      } else if failure.isNotDirectory {
        "Use the path of a directory, or move the file away."
      } else {
        nil
      }
    self.init(code, "\(what): \(failure).", recoverySuggestion: fix, underlying: failure)
  }

  /// A stored form that is newer than this version of the package knows.
  static func newerVersion(_ version: Int, supported: Int) -> TokenCacheError {
    TokenCacheError(
      .newerVersion,
      "The stored form has version \(version); this version of the package reads up to \(supported).",
      recoverySuggestion: "Update the app that reads it, or give each version its own directory. Nothing was changed."
    )
  }

  /// A lock that was not released in time; its file is named where there is one.
  static func lockTimedOut(_ path: String?) -> TokenCacheError {
    TokenCacheError(
      .lockTimedOut,
      "The lock of a token record was not released in time" + (path.map { ": \($0)." } ?? "."),
      recoverySuggestion: "Try again later; use a longer lockTimeout where token requests take longer than it.")
  }
}
