import TestSupport

extension Row {
  /// Rows that need packages which this one does not resolve.
  ///
  /// `Tests/TokenCaches/many-users` puts another file in the place of this one.
  static let server: [Row] = []

  /// Runs a child of those rows.
  static func serverChild(_ arguments: [String]) async throws { throw Failure("unknown child \(arguments)") }
}
