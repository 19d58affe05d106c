#if !canImport(UIKit) || os(watchOS)
  /// The moments at which a locked device's data becomes readable.
  package enum ProtectedData {
    /// `nil`: this system does not say.
    package static let updates: (@Sendable () -> AsyncStream<Void>)? = nil
  }
#endif
