extension TokenCacheError {
  /// What a reader answers to a form that is newer than it knows.
  static func newerVersion(_ version: Int, supported: Int) -> TokenCacheError {
    TokenCacheError(
      .newerVersion,
      "The record has the stored form \(version); this version of the package reads up to \(supported).",
      recoverySuggestion: "Update the app that reads it, or give each version a folder of its own. Nothing was changed."
    )
  }
}
