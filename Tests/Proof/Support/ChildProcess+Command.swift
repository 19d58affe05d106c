import TestSupport

extension ChildProcess {
  /// Starts a command of this program.
  ///
  /// - Parameters:
  ///   - command: What to run.
  ///   - arguments: Its arguments.
  ///   - keepsErrors: Whether ``errors`` is wanted.
  /// - Throws: What kept the process from starting.
  convenience init(_ command: any ProofCommand.Type, _ arguments: [String], keepsErrors: Bool = false) throws {
    try self.init(arguments: [command.name] + arguments, keepsErrors: keepsErrors)
  }
}
