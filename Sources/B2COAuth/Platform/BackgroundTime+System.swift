#if (os(iOS) && !targetEnvironment(macCatalyst)) || os(tvOS) || os(watchOS) || os(visionOS)
  internal import Dispatch
  internal import Foundation

  extension BackgroundTime {
    /// The system's activities, because it suspends apps; none for an iPad app on a Mac, which suspends no process.
    package static let ofSystem = BackgroundTime(ProcessInfo.processInfo.isiOSAppOnMac ? nil : SystemActivity())
  }

  /// The expiring activities of `ProcessInfo`, which exist in extensions too.
  private struct SystemActivity: ExpiringActivity {
    func perform(reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void) {
      // The request for time goes to another process; no thread that tasks share waits for it.
      DispatchQueue.global(qos: .userInitiated).async {
        ProcessInfo.processInfo.performExpiringActivity(withReason: reason, using: block)
      }
    }
  }
#else
  extension BackgroundTime {
    /// None: this system does not suspend processes.
    package static let ofSystem = BackgroundTime(nil)
  }
#endif
