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
  /// A server states its time in whole seconds. Where both clocks say that two moments were closer than two of them, the
  /// device's was not set between the two, and tells them apart.
  package func isAfter(_ other: SignInDates) -> Bool {
    let seconds = (server.timeIntervalSince(other.server), device.timeIntervalSince(other.device))
    return abs(seconds.0) <= 2 && abs(seconds.1) <= 2 ? seconds.1 > 0 : seconds.0 > 0
  }
}
