package import Foundation

/// When a sign-in or a sign-out happened, by two clocks: the device's may be set between two of them.
package struct SignInDates: Sendable, Hashable {
  /// The time by this device's clock.
  package let device: Date
  /// The time by the server's clock, as far as it is known, otherwise this device's.
  package let server: Date

  /// Creates the dates of one moment.
  package init(device: Date, server: Date) {
    self.device = device
    self.server = server
  }

  /// Whether this moment was after another.
  ///
  /// A server states its time in whole seconds, and its answer takes a while: its time is known to two seconds each time.
  /// Where the clocks agree within that on what lay between the two moments, the device's was not set between them, and
  /// knows better.
  package func isAfter(_ other: SignInDates) -> Bool {
    let (byServer, byDevice) = (server.timeIntervalSince(other.server), device.timeIntervalSince(other.device))
    return abs(byServer - byDevice) <= 4 ? byDevice > 0 : byServer > 0
  }
}
