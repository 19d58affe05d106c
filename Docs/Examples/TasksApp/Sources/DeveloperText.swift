import B2CConnector

/// Whether this is a debug build, where a text may be for the developer.
#if DEBUG
  nonisolated let isDebugBuild = true
#else
  nonisolated let isDebugBuild = false
#endif

/// The text for the developer, where only the project's settings in Xcode fix the error; `nil` for all others.
///
/// A user can do nothing about these two, so they are shown in debug builds only: see `TasksModel.message`.
func developerText(for error: ConnectorError) -> String? {
  guard error.code == .presentationFailed || isMissingEntitlement(error) else { return nil }
  return [error.message, error.recoverySuggestion, "(Only debug builds say this.)"].compactMap(\.self)
    .joined(separator: "\n")
}

// The cache's own error is the innermost one.
private func isMissingEntitlement(_ error: any Error) -> Bool {
  switch error {
  case let error as ConnectorError: error.underlying.map(isMissingEntitlement) ?? false
  case let error as TokenCacheError: error.code == .missingEntitlement
  default: false
  }
}
