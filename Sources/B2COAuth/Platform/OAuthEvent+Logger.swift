#if canImport(os)
  public import os

  extension OAuthEvent {
    /// Returns an `onEvent` that writes to the unified log; correlation ids are public, since they help and hide nothing.
    ///
    /// - Parameter logger: Where to write.
    /// - Returns: A closure to hand to the client.
    public static func to(_ logger: Logger) -> @Sendable (OAuthEvent) -> Void {
      { event in
        if event.errorCode == nil {
          logger.debug("\(event.description, privacy: .public)")
        } else {
          logger.error("\(event.description, privacy: .public)")
        }
      }
    }
  }
#endif
