/// A way for storage to fail, and what has to come of it.
struct StorageFault: Sendable {
  /// What has to be made ready by the superuser before.
  enum Ground: Sendable {
    case folder
    /// A small file system in memory with these options of `mount`.
    case device(String)
  }

  let name: String
  /// What has to come of it, for the table.
  let promise: String
  var ground = Ground.folder
  let play: @Sendable (StorageFaultScene) async throws -> Void

  /// Whether the scene keeps the superuser's rights; without a file system of its own it has to lose them, since
  /// permissions mean nothing to the superuser.
  var needsRoot: Bool {
    if case .device = ground { true } else { false }
  }

  static let all = full + permissions + planted + states
}
