// swift-format-ignore-file
// The parts of LocalAuthentication that the package uses. LAContext is not Sendable, as the reference declares it; tvOS has
// none, and a watch has no biometry.
import Foundation

#if os(iOS) || os(macOS) || os(visionOS) || os(watchOS)
public enum LAPolicy: Int, @unchecked Sendable {
  @available(watchOS, unavailable)
  case deviceOwnerAuthenticationWithBiometrics = 1
  @available(iOS 9.0, macOS 10.11, visionOS 1.0, watchOS 3.0, *)
  case deviceOwnerAuthentication = 2
}

@available(iOS 8.0, macOS 10.10, visionOS 1.0, watchOS 3.0, *)
open class LAContext: NSObject {
  open func canEvaluatePolicy(_ policy: LAPolicy, error: UnsafeMutablePointer<NSError?>?) -> Bool { false }
  @available(iOS 9.0, macOS 10.11, visionOS 1.0, watchOS 3.0, *)
  open func invalidate() {}
  @available(iOS 11.0, macOS 10.13, visionOS 1.0, watchOS 4.0, *)
  open var localizedReason: String { get { "" } set {} }
  @available(iOS 11.0, macOS 10.13, visionOS 1.0, watchOS 4.0, *)
  open var interactionNotAllowed: Bool { get { false } set {} }
}
#endif
