/// The addresses by which this machine reaches itself.
package enum LoopbackAddress: Sendable, Hashable, CaseIterable {
  /// `127.0.0.1`.
  case ipv4
  /// `::1`.
  case ipv6

  /// The address as it stands in a URL.
  package var urlHost: String {
    switch self {
    case .ipv4: "127.0.0.1"
    case .ipv6: "[::1]"
    }
  }
}
