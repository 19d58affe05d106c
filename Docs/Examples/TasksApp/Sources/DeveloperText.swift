import B2CConnector

/// Whether this is a debug build, where a text may be for the developer.
#if DEBUG
  nonisolated let isDebugBuild = true
#else
  nonisolated let isDebugBuild = false
#endif

/// The text for the developer, where the project's settings in Xcode may fix the error; `nil` for all others.
///
/// A user can do nothing about these two, so they are shown in debug builds only: see `TasksModel.message`. A token cache that
/// fails for good is mostly a keychain without an entitlement.
func developerText(for error: ConnectorError) -> String? {
  guard error.code == .presentationFailed || (error.code == .tokenCache && !error.isRetryable) else { return nil }
  return [error.message, error.recoverySuggestion, "(Only debug builds say this.)"].compactMap(\.self)
    .joined(separator: "\n")
}
