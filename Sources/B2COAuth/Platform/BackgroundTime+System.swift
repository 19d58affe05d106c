#if (os(iOS) && !targetEnvironment(macCatalyst)) || os(tvOS) || os(watchOS) || os(visionOS)
  internal import Dispatch
  internal import Foundation

  extension BackgroundTime {
    /// The system's activities, or none for an iPad app on a Mac, because macOS does not suspend processes.
    package static let ofSystem = BackgroundTime(ProcessInfo.processInfo.isiOSAppOnMac ? nil : SystemActivity())
  }

  /// The expiring activities of `ProcessInfo`, which app extensions have too.
  private struct SystemActivity: ExpiringActivity {
    func perform(reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void) {
      // This call asks another process and may block, so it does not run on a thread that Swift tasks share.
      DispatchQueue.global(qos: .userInitiated).async {
        ProcessInfo.processInfo.performExpiringActivity(withReason: reason, using: block)
      }
    }
  }
#else
  extension BackgroundTime {
    /// No background time, because this system does not suspend processes.
    package static let ofSystem = BackgroundTime(nil)
  }
#endif
