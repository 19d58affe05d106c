/// The result of ``Connector/diagnose()``, with the checks in the order in which you should fix them.
///
/// It contains no secrets, so you can paste it into a bug report. See <doc:Settings>.
public struct Diagnosis: Sendable, Hashable {
  /// A line of a diagnosis.
  public struct Finding: Sendable, Hashable {
    /// The outcome of a check.
    public enum Outcome: String, Sendable, Hashable {
      /// The check found no problem.
      case ok
      /// The check found something that works but that you should look at.
      case warning
      /// The check found a problem that you must fix.
      case failed
      /// The check was not made, or got no answer.
      case skipped
    }

    /// The name of the check.
    public let check: String
    /// The outcome of the check.
    public let outcome: Outcome
    /// The details of the outcome.
    public let detail: String
    /// The advice for fixing the problem, if there is one.
    public let recoverySuggestion: String?

    package init(_ check: String, _ outcome: Outcome, _ detail: String, recovery: String? = nil) {
      self.check = check
      self.outcome = outcome
      self.detail = detail
      recoverySuggestion = recovery
    }
  }

  /// The findings, in the order in which you should fix them.
  public let findings: [Finding]

  package init(_ findings: [Finding]) {
    self.findings = findings
  }

  /// Whether no check failed.
  public var isHealthy: Bool { !findings.contains { $0.outcome == .failed } }
}

extension Diagnosis: CustomStringConvertible {
  /// The findings as plain text, one line each, followed by the advice.
  public var description: String {
    findings.map { finding in
      "[\(finding.outcome.rawValue)] \(finding.check): \(finding.detail)"
        + (finding.recoverySuggestion.map { "\n    " + $0 } ?? "")
    }
    .joined(separator: "\n")
  }
}
