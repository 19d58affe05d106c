#if canImport(Security)
  /// How a user agrees to each use of the refresh token in a ``KeychainTokenCache``.
  ///
  /// The system binds it to the keychain item: without the answer there is no token. tvOS and watchOS offer none of the
  /// values.
  public struct KeychainProtection: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
      case userPresence, currentBiometry
    }

    let kind: Kind
    let reason: String

    #if os(iOS) || os(macOS) || os(visionOS)
      /// Face, finger or passcode; a new enrolment changes nothing.
      ///
      /// - Parameter reason: A sentence that the system shows beside its question, in the user's language.
      /// - Returns: The protection.
      public static func userPresence(reason: String) -> KeychainProtection {
        KeychainProtection(kind: .userPresence, reason: reason)
      }

      /// A face or finger that is enrolled now; after a new enrolment the user has to sign in again.
      ///
      /// - Parameter reason: A sentence that the system shows beside its question, in the user's language.
      /// - Returns: The protection.
      public static func currentBiometry(reason: String) -> KeychainProtection {
        KeychainProtection(kind: .currentBiometry, reason: reason)
      }
    #endif
  }
#endif
