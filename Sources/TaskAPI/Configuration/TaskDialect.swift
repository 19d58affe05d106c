/// Under which JSON name a task server keeps a task's text.
///
/// Answers are read in either dialect; the choice says what is written.
public enum TaskDialect: String, Sendable, Hashable, CaseIterable {
  /// The tutorial's server: `task`.
  case tutorial = "task"
  /// The server of the sample's repository: `Text`.
  case repository = "Text"

  /// The JSON name of a task's text.
  public var nameKey: String { rawValue }
}
