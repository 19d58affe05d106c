/// What a call wants, as far as its answer and its errors depend on it.
struct TaskOperation: Sendable, Equatable {
  static let list = TaskOperation(name: "list", isChange: false, isIdempotent: true)
  static let add = TaskOperation(name: "add", isChange: true, isIdempotent: false)
  static let update = TaskOperation(name: "update", isChange: true, isIdempotent: false)
  static let delete = TaskOperation(name: "delete", isChange: true, isIdempotent: false)

  let name: String
  /// Whether a lost answer leaves open what happened.
  let isChange: Bool
  /// Whether sending it twice has the effect of sending it once, so that it may be tried again.
  var isIdempotent: Bool

  func idempotent(_ isIdempotent: Bool) -> TaskOperation {
    var operation = self
    operation.isIdempotent = isIdempotent
    return operation
  }

  /// Whether it is the same call; how it is sent does not matter.
  static func == (left: TaskOperation, right: TaskOperation) -> Bool { left.name == right.name }
}
