extension TokenCacheError {
  /// A write that the system refused.
  static func unwritable(_ what: String, _ failure: SystemFailure) -> TokenCacheError {
    TokenCacheError(.unwritable, "\(what): \(failure).", recoverySuggestion: failure.advice, underlying: failure)
  }

  /// A read that the system refused.
  static func unreadable(_ what: String, _ failure: SystemFailure) -> TokenCacheError {
    TokenCacheError(.unreadable, "\(what): \(failure).", recoverySuggestion: failure.advice, underlying: failure)
  }
}

extension SystemFailure {
  /// What a person can do about it.
  fileprivate var advice: String? {
    if isFull { return "Free some space on the device; what was stored before is still there." }
    if isDenied { return "Give the user that runs this process access to it; what was stored before is still there." }
    if isSymbolicLink { return "Remove the symbolic link." }
    return nil
  }
}
