/// The result of ``Connector/diagnose()``: checks and their outcomes, in the order to fix them.
///
/// Nothing in it is secret, so that it can be pasted into a bug report.
public struct Diagnosis: Sendable, Hashable {
  /// One line of a diagnosis.
  public struct Finding: Sendable, Hashable {
    /// What a check found.
    public enum Outcome: String, Sendable, Hashable {
      /// Nothing is wrong.
      case ok
      /// It works, but look at it.
      case warning
      /// It must be fixed.
      case failed
      /// It was not checked.
      case skipped
    }

    /// The name of the check.
    public let check: String
    /// What the check found.
    public let outcome: Outcome
    /// The details.
    public let detail: String
    /// How to fix it, if necessary.
    public let recoverySuggestion: String?

    package init(_ check: String, _ outcome: Outcome, _ detail: String, recovery: String? = nil) {
      self.check = check
      self.outcome = outcome
      self.detail = detail
      recoverySuggestion = recovery
    }
  }

  /// The findings, in the order to fix them.
  public let findings: [Finding]

  package init(_ findings: [Finding]) {
    self.findings = findings
  }

  /// Whether no check failed.
  public var isHealthy: Bool { !findings.contains { $0.outcome == .failed } }
}

extension Diagnosis: CustomStringConvertible {
  /// The findings as plain text, one line each, followed by how to fix it.
  public var description: String {
    findings.map { finding in
      "[\(finding.outcome.rawValue)] \(finding.check): \(finding.detail)"
        + (finding.recoverySuggestion.map { "\n    " + $0 } ?? "")
    }
    .joined(separator: "\n")
  }
}
