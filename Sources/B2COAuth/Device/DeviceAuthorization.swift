public import Foundation

/// What the user needs to sign in on another device (RFC 8628 section 3.2).
public struct DeviceAuthorization: Sendable, Hashable {
  /// The code to type.
  public let userCode: String
  /// The address to open.
  public let verificationURL: URL
  /// The address with the code in it, for a QR code, if the server gives one.
  public let completeVerificationURL: URL?
  /// When the code ends.
  public let expiresAt: Date
  /// What to tell the user, in the server's words, if it gives any.
  public let message: String?
}
