import TestSupport

/// Something that reads what others wrote.
///
/// To add one, write a file in `Subjects` and name it in ``all``.
struct FuzzSubject: Sendable {
  /// What came of an input.
  enum Verdict: Sendable, Hashable {
    /// It was read as a value.
    case accepted
    /// It ended in the typed error that is documented.
    case refused
    /// A promise was broken: an error of another type, or a value that contradicts its input.
    case broken(String)
  }

  /// The name on the command line.
  let name: String
  /// Makes an input from random numbers alone.
  let makeInput: @Sendable (inout SplitMix64) -> [UInt8]
  /// Feeds an input to the subject.
  let judge: @Sendable ([UInt8]) -> Verdict

  static let all: [FuzzSubject] = [.settings, .authority, .policy]
}
