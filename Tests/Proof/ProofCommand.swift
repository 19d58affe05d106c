/// One proof, or one part of a proof that runs as a process of its own.
protocol ProofCommand: Sendable {
  /// What is written after `swift run proof`.
  static var name: String { get }
  /// A line for the help; empty for what only a proof starts.
  static var summary: String { get }

  /// Runs the proof and prints its table.
  ///
  /// - Parameter options: What was written after the name.
  /// - Returns: Whether every promise held.
  /// - Throws: What kept the proof from being run at all.
  static func run(_ options: ProofOptions) async throws -> Bool
}
