internal import Dispatch
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Ties an exchange to the session's task that carries it.
struct ExchangeLink: Sendable {
  /// Cancelling takes the task's lock, so it must not happen where another lock may be held, such as in a cancellation
  /// handler: on Linux that can block the whole session.
  private static let queue = DispatchQueue(label: "B2CHTTP.cancellation")

  let task: URLSessionDataTask
  let delegate: SessionDelegate

  /// Runs what takes the session's locks, outside of its callbacks.
  static func later(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }

  /// Ends the transfer, soon; the exchange hears no more of it.
  func abort() {
    delegate.forget(task)
    Self.later { [task] in task.cancel() }
  }
}
