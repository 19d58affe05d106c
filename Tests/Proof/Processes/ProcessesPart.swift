/// One line of the processes' table: what is done by how many, and what has to come out.
struct ProcessesPart: Sendable {
  /// What came out.
  struct Outcome: Sendable {
    var expected: Int
    var found: Int
    var seconds: Double
    var notes: [String] = []

    var isKept: Bool { expected == found && notes.isEmpty }
  }

  let name: String
  /// What is counted.
  let unit: String
  let run: @Sendable (ProofOptions) async throws -> Outcome
}
