#if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
  internal import Dispatch
  internal import Foundation

  extension BackgroundTime {
    /// The system's activities: it suspends apps.
    package static let ofSystem = BackgroundTime(SystemActivity())
  }

  /// The expiring activities of `ProcessInfo`, which exist in extensions too.
  private struct SystemActivity: ExpiringActivity {
    private let queue = DispatchQueue(label: "B2COAuth.activity", qos: .userInitiated)

    func perform(reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void) {
      // The request for time goes to another process; no thread that tasks share waits for it.
      queue.async { ProcessInfo.processInfo.performExpiringActivity(withReason: reason, using: block) }
    }
  }
#else
  extension BackgroundTime {
    /// None: this system does not suspend processes.
    package static let ofSystem = BackgroundTime(nil)
  }
#endif
