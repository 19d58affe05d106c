/// How a changed task is written.
///
/// Neither of the tutorial's servers can change a task: they answer `404` or `405`, which ends in
/// ``TaskAPIError/Code/notFound`` or ``TaskAPIError/Code/unsupported``. A server that can mostly takes one of these forms.
public enum TaskUpdate: Sendable, Hashable, CaseIterable {
  /// `PUT base/{id}` with the whole document, members unknown to this package included.
  case put
  /// `PATCH base/{id}` with text and `completed` only.
  case patch
}
