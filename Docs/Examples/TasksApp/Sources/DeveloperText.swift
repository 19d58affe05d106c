import B2CConnector

/// Whether this is a debug build, where a text may be for the developer.
#if DEBUG
  nonisolated let isDebugBuild = true
#else
  nonisolated let isDebugBuild = false
#endif

/// The text for the developer, where a user can do nothing: the project's settings in Xcode or at the tenant may fix it.
///
/// It is shown in debug builds only: see `TasksModel.message`. A token cache that fails for good is mostly a keychain without
/// an entitlement.
func developerText(for error: ConnectorError) -> String? {
  let lasts = error.code == .tokenCache && !error.isRetryable
  guard lasts || text(for: error) == "That did not work." else { return nil }
  return [error.message, error.recoverySuggestion, "(Only debug builds say this.)"].compactMap(\.self)
    .joined(separator: "\n")
}
