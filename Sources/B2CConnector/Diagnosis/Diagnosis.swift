/// What was checked, what came of it, and what to do: in the order a person should mend it.
///
/// Nothing in it is secret, so that it can be pasted into a bug report.
public struct Diagnosis: Sendable, Hashable {
  /// One line of a diagnosis.
  public struct Finding: Sendable, Hashable {
    /// How a check ended.
    public enum Outcome: String, Sendable, Hashable {
      /// Nothing to do.
      case ok
      /// It works, but something deserves a look.
      case warning
      /// It has to be mended.
      case failed
      /// It could not be checked, because something before it failed.
      case skipped
    }

    /// What was checked.
    public var check: String
    /// How it ended.
    public var outcome: Outcome
    /// What was found.
    public var detail: String
    /// What to do, if anything.
    public var mend: String?

    /// Makes a finding.
    ///
    /// - Parameters:
    ///   - check: What was checked.
    ///   - outcome: How it ended.
    ///   - detail: What was found.
    ///   - mend: What to do, if anything.
    public init(_ check: String, _ outcome: Outcome, _ detail: String, mend: String? = nil) {
      self.check = check
      self.outcome = outcome
      self.detail = detail
      self.mend = mend
    }
  }

  /// The findings, in the order to mend them.
  public var findings: [Finding]

  /// Makes a diagnosis.
  ///
  /// - Parameter findings: The findings, in the order to mend them.
  public init(_ findings: [Finding]) {
    self.findings = findings
  }

  /// Whether nothing has to be mended.
  public var isHealthy: Bool { !findings.contains { $0.outcome == .failed } }
}

extension Diagnosis: CustomStringConvertible {
  /// The findings as plain text, a line each, with what to do below.
  public var description: String {
    findings.map { finding in
      "[\(finding.outcome.rawValue)] \(finding.check): \(finding.detail)" + (finding.mend.map { "\n    " + $0 } ?? "")
    }
    .joined(separator: "\n")
  }

  /// The findings as a Markdown table.
  public var markdown: String {
    let rows = findings.map { finding in
      let cells = [finding.check, finding.outcome.rawValue, finding.detail, finding.mend ?? ""]
      return "| " + cells.map(Self.cell).joined(separator: " | ") + " |"
    }
    return (["| check | result | found | what to do |", "|---|---|---|---|"] + rows).joined(separator: "\n")
  }

  private static func cell(_ text: String) -> String {
    // What looks like a tag, such as `<tenant>`, would not be shown.
    let visible = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("|", with: "\\|")
    return visible.split(whereSeparator: \.isNewline).joined(separator: "<br>")
  }
}
