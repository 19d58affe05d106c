/// What the documentation says of a fault: the error's code, or `value`, for each operation.
struct FaultExpectation: Sendable {
  private var codes: [FaultOperation: String]

  /// Makes an expectation for metadata and keys, for the token endpoint, and for the task API.
  init(_ documents: String, _ tokens: String, _ tasks: String) {
    codes = [
      .metadata: documents, .keys: documents, .code: tokens, .refresh: tokens, .list: tasks, .add: tasks,
      .delete: tasks,
    ]
  }

  /// The same everywhere.
  init(_ code: String) { self.init(code, code, code) }

  /// A copy that differs in one operation.
  func but(_ operation: FaultOperation, _ code: String) -> FaultExpectation {
    var copy = self
    copy.codes[operation] = code
    return copy
  }

  subscript(operation: FaultOperation) -> String { codes[operation] ?? "" }
}
